package host

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// StartedBy returns the command line of the nearest ancestor of this process whose last words are a
// command, such as "mpirun -n 2 gobench p2p" for "gobench p2p": the launcher that started this
// process with it. It is nil if there is none, because the launcher runs on another host or is no
// ancestor, as srun, or if /proc cannot be read.
//
// Source: proc(5), stat and cmdline.
func StartedBy(command []string) []string {
	for pid := os.Getppid(); pid > 1; pid = parent(pid) {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err != nil {
			return nil
		}
		words := strings.Split(string(bytes.TrimSuffix(line, []byte{0})), "\x00")
		if launches(words, command) {
			return words
		}
	}
	return nil
}

// launches reports whether words are a command line that ends with a command, behind the name of a
// launcher. The program of the command may have a folder.
func launches(words, command []string) bool {
	at := len(words) - len(command)
	return at > 0 && filepath.Base(words[at]) == filepath.Base(command[0]) && slices.Equal(words[at+1:], command[1:])
}

// parent returns the parent of a process, 0 if it cannot be read.
func parent(pid int) int {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The name of the program, in parentheses, may contain anything.
	_, rest, ok := strings.Cut(string(stat[bytes.LastIndexByte(stat, ')')+1:]), " ")
	var state string
	var ppid int
	if _, err := fmt.Sscan(rest, &state, &ppid); !ok || err != nil {
		return 0
	}
	return ppid
}
