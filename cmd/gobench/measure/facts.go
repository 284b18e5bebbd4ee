package measure

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"gobench/bench/record"
	"gobench/launch/host"
)

// run states the facts that all points share. first is what rank 0 said.
func (r *Request) run(first hello, cores []int, launcher string) record.Run {
	run := record.Run{
		ID: first.Run, Time: first.Time, Command: r.Command,
		Hosts: []any{host.Collect()},
		Job:   record.Job{Launcher: launcher, Ranks: r.Ranks, Cores: cores},
		Seed:  r.Seed,
	}
	if allowed, err := host.AllowedCores(); err == nil && r.Ranks > len(allowed) {
		run.Warnings = append(run.Warnings, fmt.Sprintf("%d ranks share %d cores: they take turns, and times are those of the scheduler; use -n %d or less", r.Ranks, len(allowed), len(allowed)))
	}
	return run
}

// defaultName is one file for each machine and day.
func (r *Request) defaultName() string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		name = "host"
	}
	return filepath.Base(name) + "-" + time.Now().Format("2006-01-02") + ".jsonl"
}
