package child

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// countsDiffer is by how much two counts of the kernel of one memory may differ, in bytes.
const countsDiffer = 1 << 20

// peakOfThis returns the maximum in RAM of this program in bytes, 0 if it is not known. That of
// getrusage would be at least that of the process that has started this one.
func peakOfThis() int64 {
	text, _ := os.ReadFile("/proc/self/status")
	_, after, _ := strings.Cut(string(text), "\nVmHWM:")
	line, _, _ := strings.Cut(after, " kB\n")
	kib, _ := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
	return kib << 10
}

// A Peak is the most memory that a child and its descendants held together in bytes, sampled every
// 20 ms. Shared pages count once: each process contributes its proportional set size (PSS).
// Sampling takes processor time, so times are not measured together with memory.
type Peak struct{ Bytes int64 }

const samplingInterval = 20 * time.Millisecond

// sample samples the memory of a process and its descendants until the function that it returns is
// called.
func (p *Peak) sample(root int) (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-end:
				return
			case <-time.After(samplingInterval):
				p.Bytes = max(p.Bytes, treeMemory(root))
			}
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}

// treeMemory returns the sum of the PSS of a process and its descendants. Processes that exit
// meanwhile count 0.
func treeMemory(root int) (total int64) {
	parents := map[int]int{}
	directories, _ := filepath.Glob("/proc/[0-9]*")
	for _, directory := range directories {
		pid, _ := strconv.Atoi(filepath.Base(directory))
		stat, err := os.ReadFile(directory + "/stat")
		if err != nil {
			continue
		}
		// The name in parentheses may contain any character; state and parent follow it.
		text := string(stat)
		if f := strings.Fields(text[strings.LastIndexByte(text, ')')+1:]); len(f) > 1 {
			parents[pid], _ = strconv.Atoi(f[1])
		}
	}
	for pid := range parents {
		for p := pid; p > 1; p = parents[p] {
			if p == root {
				total += proportionalSetSize(pid)
				break
			}
		}
	}
	return total
}

// proportionalSetSize returns the PSS of a process in bytes, 0 if it has ended.
func proportionalSetSize(pid int) int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	for row := range strings.Lines(string(text)) {
		if f := strings.Fields(row); len(f) == 3 && f[0] == "Pss:" {
			kib, _ := strconv.ParseInt(f[1], 10, 64)
			return kib << 10
		}
	}
	return 0
}
