package measure

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gobench/bench"
	"gobench/bench/clock"
	"gobench/bench/record"
	"gobench/device"
	"gobench/launch/host"
)

// noisy is the share of lost time of a core from which on there is a warning.
const noisy = 0.05

// disturbed returns a warning with a remedy about the rank that lost most time to other load, "" if
// no rank lost much. It uses the noise probe right before the run, because the load average
// contains the earlier launches of a sweep. other begins a remedy for a rank on other cores, such
// as "run on other cores with --pin", "" if the command can do nothing about its placement.
func disturbed(all []record.Noise, hypervisor, other string) string {
	var worst record.Noise
	for _, n := range all {
		if n.Lost > worst.Lost {
			worst = n
		}
	}
	if worst.Lost < noisy {
		return ""
	}
	what := fmt.Sprintf("rank %d", worst.Rank)
	if worst.Core >= 0 {
		what += fmt.Sprintf(" on core %d", worst.Core)
	}
	what += fmt.Sprintf(" lost %.0f %% of its time in the probe before the run, ", 100*worst.Lost)
	either := func(words ...string) string {
		return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), ", or ")
	}
	virtual := hypervisor != "" && hypervisor != "none"
	switch {
	case worst.Waited > worst.Lost/2:
		return what + "most of it to other programs on this machine: " + either("end them", other)
	case virtual:
		return what + "most of it to the host of this virtual machine: use a machine with dedicated cores, or read the intervals with care"
	default:
		return what + "most of it to interrupts and the system: " + either(other, "read the intervals with care")
	}
}

// otherCores returns the remedy that places ranks elsewhere, "" if there is none: they are on all
// cores that this process may use, or nobody but the system has placed them.
func (r *Measurement) otherCores() string {
	if r.Pin == host.None {
		return "run without --pin=none"
	}
	if allowed, err := host.AllowedCores(); err != nil || len(allowed) <= r.Ranks*r.Threads {
		return ""
	}
	return "run on other cores with --pin"
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

// hypervisor returns the hypervisor of the machine of rank 0.
func hypervisor(r *record.Run) string {
	for _, facts := range r.Hosts {
		if facts, ok := facts.(host.Facts); ok {
			return facts.Hypervisor
		}
	}
	return ""
}
