package smem

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// The memory of all segments is reserved when the transport is opened, so that a rank gets an error
// there, and not a SIGBUS in the middle of a message. What is available is the smaller one of the
// host's memory and the limits of the control groups above this process.
//
// checkRoom returns an error if less than want bytes of memory are available. The kernel would
// grant the reservation all the same and then kill processes, not only those of the job.
func checkRoom(want int) error {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return err
	}
	room := available(text)
	if group, err := os.ReadFile("/proc/self/cgroup"); err == nil {
		room = min(room, groupRoom("/sys/fs/cgroup", string(group)))
	}
	return fits(want, room)
}

// fits returns an error unless want bytes leave a sixteenth of the memory free.
func fits(want, room int) error {
	if want > room-room/16 {
		return fmt.Errorf("%d bytes of memory are wanted, %d are available", want, room)
	}
	return nil
}

// available finds MemAvailable in the text of /proc/meminfo, in bytes.
func available(meminfo []byte) int {
	_, rest, ok := bytes.Cut(meminfo, []byte("MemAvailable:"))
	fields := bytes.Fields(rest)
	if !ok || len(fields) == 0 {
		return 0
	}
	n, err := strconv.Atoi(string(fields[0]))
	if err != nil {
		return 0
	}
	return n << 10
}

// groupRoom returns the memory that the control groups (version 2) of this process permit in
// addition, in bytes, or the largest int if they set no limit. path is the content of
// /proc/self/cgroup.
func groupRoom(root, path string) int {
	const unlimited = int(^uint(0) >> 1)
	room := unlimited
	for line := range strings.Lines(path) {
		name, ok := strings.CutPrefix(strings.TrimSpace(line), "0::")
		if !ok {
			continue
		}
		for ; ; name = filepath.Dir(name) {
			limit, err1 := readNumber(filepath.Join(root, name, "memory.max"))
			used, err2 := readNumber(filepath.Join(root, name, "memory.current"))
			if err1 == nil && err2 == nil {
				room = min(room, max(limit-used, 0))
			}
			if name == "/" || name == "." {
				break
			}
		}
	}
	return room
}

// readNumber reads a file of the kernel that holds one number. It is an error if it holds a word
// such as max.
func readNumber(path string) (int, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(text)))
}
