package experiment

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gobench/bench"
	"gobench/device"
	"gobench/internal/bench/clock"
	"gobench/internal/launch/host"
	"gobench/internal/remedy"
	"gobench/record"
)

// noisy is the share of lost time of a core from which on there is a warning.
const noisy = 0.05

// disturbed returns a warning with a remedy about the rank that lost most time to other load, ""
// if no rank lost much. It uses the noise probe right before the run, because the load average
// contains the earlier launches of a sweep. The cause is on the rank's own host. otherCores
// returns the remedy that places ranks elsewhere on a host with that number of ranks, such as "run
// on other cores with --pin", "" if the command can do nothing about their placement.
func disturbed(run *record.Run, otherCores func(facts host.Facts, ranks int) string) string {
	var worst record.Noise
	for _, n := range run.Noise {
		if n.Lost > worst.Lost {
			worst = n
		}
	}
	if worst.Lost < noisy {
		return ""
	}
	facts, ranks := hostOf(run, worst.Rank)
	other := otherCores(facts, ranks)
	what, machine := fmt.Sprintf("rank %d", worst.Rank), "this machine"
	if len(run.Hosts) > 1 {
		what, machine = device.RankName(worst.Rank, facts.Hostname), facts.Hostname
	}
	if worst.Core >= 0 {
		what += fmt.Sprintf(" on core %d", worst.Core)
	}
	what += fmt.Sprintf(" lost %.0f %% of its time in the probe before the run, ", 100*worst.Lost)
	either := func(words ...string) string {
		return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), ", or ")
	}
	virtual := facts.Hypervisor != "" && facts.Hypervisor != "none"
	switch quota := facts.Limits.CPU; {
	case quota != nil && *quota < float64(ranks):
		return what + fmt.Sprintf("most of it to a CPU quota: the cgroup (cpu.max) on %s allows %.2g cores for %d ranks: raise it, or start fewer ranks there", machine, *quota, ranks)
	case worst.Waited > worst.Lost/2:
		return what + "most of it to other programs on " + machine + ": " + either("end them", other)
	case virtual:
		return what + "most of it to the host of this virtual machine: use a machine with dedicated cores, or read the intervals with care"
	default:
		return what + "most of it to interrupts and the system: " + either(other, "read the intervals with care")
	}
}

// hostOf returns the facts of the host of a rank, and the number of ranks there.
func hostOf(run *record.Run, rank int) (facts host.Facts, ranks int) {
	at := 0
	if rank < len(run.Job.Hosts) {
		at = run.Job.Hosts[rank]
	}
	for _, other := range run.Job.Hosts {
		if other == at {
			ranks++
		}
	}
	if at < len(run.Hosts) {
		facts, _ = run.Hosts[at].(host.Facts)
	}
	return facts, ranks
}

// otherCores returns the remedy that places ranks elsewhere on a host with that number of ranks, ""
// if there is none: they are on all cores that they may use there, or nobody but the system has
// assigned them.
func (r *measurement) otherCores(facts host.Facts, ranks int) string {
	if r.Pin == host.None {
		return fmt.Sprintf("run without %v", remedy.Set("pin", "none"))
	}
	if allowed, err := host.ParseCores(facts.Limits.Cores); err != nil || len(allowed) <= ranks*r.Threads {
		return ""
	}
	return fmt.Sprintf("run on other cores with %v", remedy.Named("pin"))
}

// threads calibrates the clock and probes the noise of this rank, and returns the facts of all
// ranks. It is collective.
func threads(ctx context.Context, job device.Job, core int) ([]bench.RankFacts, error) {
	t := clock.Calibrate()
	noise := record.NoiseOf(job.Rank(), core, host.Noise(host.NoiseTime))
	return device.Exchange(ctx, job, bench.RankFacts{
		Clock: record.Clock{Rank: job.Rank(), Source: t.Source, Resolution: t.Resolution, Cost: t.Cost, CostError: t.CostError},
		Noise: &noise,
	})
}
