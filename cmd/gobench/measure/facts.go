package measure

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"gobench/bench/record"
	"gobench/launch/host"
)

// run returns the facts that all points of a launch share, and the placement of the ranks. first is
// the hello of rank 0.
func (r *Request) run(first hello, n round, cores []int, launcher string) (record.Run, host.Placement) {
	facts := host.Collect()
	p := host.ThisProgram()
	p.SHA256 = n.Digest
	if r.Coll.Table != nil {
		p.CollTable = r.Coll.Table.Origin
	}
	run := record.Run{
		ID: first.Run, Time: first.Time, Command: r.Command, Program: p,
		Hosts:  []any{facts},
		Job:    record.Job{Launcher: launcher, Ranks: r.Ranks, Hosts: make([]int, r.Ranks), Cores: cores},
		Series: n.Series, Label: r.Label, Tags: r.Tags, Seed: n.Seed,
	}
	placed, err := host.Plan(r.Ranks, r.Pin)
	if err == nil {
		run.Warnings = append(run.Warnings, placed.Warnings...)
	}
	run.Warnings = append(run.Warnings, advice(facts)...)
	if f := r.Fault.String(); f != "" {
		run.Warnings = append(run.Warnings, f)
	}
	return run, placed
}

// advice returns settings of this machine that disturb measurements, one sentence for each with its
// remedy.
func advice(f host.Facts) []string {
	var list []string
	if g := f.CPU.Governor; g != "" && g != "performance" {
		list = append(list, fmt.Sprintf("the clock of the cores follows the load (governor %s): sudo cpupower frequency-set -g performance", g))
	}
	return list
}

// DefaultFile returns the path of the file of records if the user names none.
func DefaultFile() string { return filepath.Join("results", defaultName()) }

// defaultName returns the name of a file for this machine and day.
func defaultName() string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		name = "host"
	}
	return filepath.Base(name) + "-" + time.Now().Format("2006-01-02") + ".jsonl"
}
