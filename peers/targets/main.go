// Command targets says which targets of this project the records of a sweep of configs/rivals meet:
//
//	go run ./peers/targets peers/targets/p2p.toml results/rivals-p2p-*.jsonl
//
// A file of targets has tables [[target]], whose keys are the fields of target:
//
//	[[target]]
//	name = "smem 64 KiB: at least 1.6 times the best MPI's bandwidth"
//	bench = "pingpong"
//	sizes = [65536]
//	rivals = ["Open MPI", "MPICH"] # the fastest counts in each cell
//	metric = "bandwidth"
//	ratio = 1.6
//	cores = "near"
//
// A target is open if gobench or a rival has fewer than five launches of a cell, or lacks a cell
// that another of them has. A rival without any launch could not be run: it is named, and the
// others decide. Results of one launch that differ only in what the target does not state, such as
// two levels, count as their median. The exit code is 4 if a target is missed, else 5 if one is
// open.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"gobench/compare"
	"gobench/internal/exit"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: targets TARGETS.toml RECORDS...")
		os.Exit(exit.Usage)
	}
	code, err := run(os.Args[1], os.Args[2:], os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "targets:", err)
	}
	os.Exit(code)
}

// run prints whether the records at paths meet the targets of file, and returns the exit code.
func run(file string, paths []string, w io.Writer) (code int, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return exit.Usage, err
	}
	targets, err := parse(text, file)
	if err != nil {
		return exit.Usage, err
	}
	sources, warnings, err := compare.Load(paths, compare.Options{})
	for _, line := range warnings {
		fmt.Fprintln(os.Stderr, "targets:", line)
	}
	if err != nil {
		return exit.Usage, err
	}
	missed, open := 0, 0
	_, err = fmt.Fprintln(w, "# targets: ratio of gobench to the fastest rival [interval between launches]; open: fewer than 5 launches of a side")
	for _, o := range judge(sources, targets) {
		switch {
		case !o.Decided:
			open++
		case !o.Met:
			missed++
		}
		_, e := fmt.Fprintf(w, "%-6s  %s: %s\n", o.Word(), o.Target.Name, o.Measured)
		err = errors.Join(err, e)
	}
	switch {
	case err != nil:
		return exit.Failed, err
	case missed > 0:
		return exit.Regression, nil
	case open > 0:
		return exit.Noisy, nil
	}
	return 0, nil
}
