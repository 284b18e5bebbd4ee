package host

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gobench/internal/lazyregexp"
)

// StartedBy returns the command line of the nearest ancestor of this process whose last words are a
// command, such as "mpirun -n 2 gobench p2p" for "gobench p2p": the launcher that started this
// process with it. It is nil if there is none, because the launcher runs on another host or is no
// ancestor, as srun, or if /proc cannot be read. The line has no value of an environment variable,
// and it is nil if sshpass is the launcher: records, which others read, contain no secrets.
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
			return public(words, len(words)-len(command))
		}
	}
	return nil
}

// launches reports whether words are a command line that ends with a command, behind the name of a
// launcher. The program of the command may have a dir.
func launches(words, command []string) bool {
	at := len(words) - len(command)
	return at > 0 && filepath.Base(words[at]) == filepath.Base(command[0]) && slices.Equal(words[at+1:], command[1:])
}

// assignment matches the beginning of a word up to the value of an environment variable, as the
// word of "mpirun -x NAME=value" or "srun --export=ALL,NAME=value".
var assignment = lazyregexp.New(`(?s)^(?:|-[^=\s]*=(?:[^=]*,)?|.*?[\s;,"'(])[A-Za-z_][A-Za-z0-9_]*=`)

// public returns a command line without the values of environment variables in the words of the
// launcher, the first n: NAME= stands for NAME=value, and an empty word for the value of
// "-genv NAME value" of Hydra. It is nil if the launcher is sshpass, or has it.
func public(words []string, n int) []string {
	for i := range n {
		if filepath.Base(words[i]) == "sshpass" {
			return nil
		}
		if i >= 2 && !strings.Contains(words[i-1], "=") && slices.Contains([]string{"-env", "--env", "-genv", "--genv"}, words[i-2]) {
			words[i] = ""
		} else if name := assignment.FindStringIndex(words[i]); name != nil {
			words[i] = words[i][:name[1]]
		}
	}
	return words
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
