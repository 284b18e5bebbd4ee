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
// two levels, count as their median.
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
	if err := run(os.Args[1], os.Args[2:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "targets:", err)
		os.Exit(exit.Failed)
	}
}

// run prints whether the records at paths meet the targets of file.
func run(file string, paths []string, w io.Writer) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	targets, err := parse(text, file)
	if err != nil {
		return err
	}
	sources, warnings, err := compare.Load(paths, compare.Options{})
	for _, line := range warnings {
		fmt.Fprintln(os.Stderr, "targets:", line)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(w, "# targets: ratio of gobench to the fastest rival [interval between launches]; open: fewer than 5 launches of a side")
	for _, o := range judge(sources, targets) {
		_, e := fmt.Fprintf(w, "%-6s  %s: %s\n", o.Word(), o.Target.Name, o.Measured)
		err = errors.Join(err, e)
	}
	return err
}
