package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// peakMemory runs a command and returns the peak memory of its process group in bytes. Shared pages
// count once: each process contributes its proportional set size (PSS).
func peakMemory(ctx context.Context, args ...string) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, programTime)
	defer cancel()
	cmd := prepare(ctx, nil, args...)
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var peak float64
	for {
		select {
		case err := <-ended:
			if err != nil {
				return 0, fmt.Errorf("%v: %w", args, err)
			}
			return peak, nil
		case <-time.After(20 * time.Millisecond):
			peak = max(peak, treeMemory(cmd.Process.Pid))
		}
	}
}

// treeMemory returns the sum of the PSS of a process and its descendants. Processes that exit
// meanwhile count 0.
func treeMemory(root int) float64 {
	parents := map[int]int{}
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range folders {
		pid, _ := strconv.Atoi(filepath.Base(folder))
		stat, err := os.ReadFile(folder + "/stat")
		if err != nil {
			continue
		}
		// The name in parentheses may contain any character; the parent follows it.
		_, rest, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')'):]), " ")
		if f := strings.Fields(rest); len(f) > 1 {
			parents[pid], _ = strconv.Atoi(f[1])
		}
	}
	var total float64
	for pid := range parents {
		for p := pid; p > 1; p = parents[p] {
			if p == root {
				total += share(pid)
				break
			}
		}
	}
	return total
}

// share returns the proportional set size of a process in bytes.
func share(pid int) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0
	}
	for row := range strings.Lines(string(text)) {
		if f := strings.Fields(row); len(f) == 3 && f[0] == "Pss:" {
			kib, _ := strconv.ParseFloat(f[1], 64)
			return kib * 1024
		}
	}
	return 0
}
