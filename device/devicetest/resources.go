package devicetest

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// settle bounds the time in which a resource must go away by itself: a goroutine
// that was told to end, a segment that its last user unmaps.
const settle = 5 * time.Second

// held counts the system resources of this process.
type held struct{ files, goroutines int }

func resources() held {
	// The first pipe makes the Go runtime open its poller for good.
	if r, w, err := os.Pipe(); err == nil {
		r.Close()
		w.Close()
	}
	return held{openFiles(), runtime.NumGoroutine()}
}

// returned returns an error that lists the resources held beyond h after the timeout, or nil.
func (h held) returned(timeout time.Duration) error {
	var now held
	for deadline := time.Now().Add(timeout); ; time.Sleep(time.Millisecond) {
		now = held{openFiles(), runtime.NumGoroutine()}
		if now.files <= h.files && now.goroutines <= h.goroutines {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("after Close %d file descriptors are open (%d before Open) and %d goroutines run (%d before)",
				now.files, h.files, now.goroutines, h.goroutines)
		}
	}
}

func openFiles() int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(entries)
}

// sharedDir contains the names of shared segments.
const sharedDir = "/dev/shm"

func filesIn(dir string) []string {
	entries, _ := os.ReadDir(dir)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// leftovers reports files in dir that are new after the timeout and that either this
// process or nobody has mapped. Files of other jobs, which run at the same time,
// are mapped by them.
func leftovers(dir string, before []string, timeout time.Duration) error {
	for deadline := time.Now().Add(timeout); ; time.Sleep(10 * time.Millisecond) {
		var left []string
		for _, name := range filesIn(dir) {
			if !slices.Contains(before, name) && !mappedByOthers(filepath.Join(dir, name)) {
				left = append(left, name)
			}
		}
		if len(left) == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("left behind in %s: %s", dir, strings.Join(left, ", "))
		}
	}
}

func mappedByOthers(path string) bool {
	maps, _ := filepath.Glob("/proc/[0-9]*/maps")
	self := fmt.Sprintf("/proc/%d/maps", os.Getpid())
	for _, m := range maps {
		if text, err := os.ReadFile(m); m != self && err == nil && strings.Contains(string(text), path) {
			return true
		}
	}
	return false
}

// availableMemory returns the memory available without swapping, in bytes.
func availableMemory() int64 { return 1024 * procField("/proc/meminfo", "MemAvailable:") }

// residentMemory returns the resident memory of this process, private and shared, in bytes.
func residentMemory() int64 {
	return 1024 * (procField("/proc/self/status", "RssAnon:") + procField("/proc/self/status", "RssShmem:"))
}

func procField(file, name string) int64 {
	text, _ := os.ReadFile(file)
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			n, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return n
		}
	}
	return 0
}
