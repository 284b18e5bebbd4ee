package measure

import (
	"context"
	"fmt"

	"gobench/bench"
	"gobench/bench/clock"
	"gobench/bench/record"
	"gobench/device"
	"gobench/launch/host"
)

// noisy is the share of its time from which on a core that loses it is worth a
// warning.
const noisy = 0.05

// disturbed says what takes time from the rank that loses most, and what can be done about
// it, "" where no rank loses much. What counts is what was seen on the cores right before
// the run, not the load of this machine, which is an average over the last minute: a sweep
// would be warned of itself.
func disturbed(all []record.Noise, hypervisor string) string {
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
	other := "without --pin=none"
	if worst.Core >= 0 {
		what += fmt.Sprintf(" on core %d", worst.Core)
		other = "on other cores with --pin"
	}
	what += fmt.Sprintf(" lost %.0f %% of its time in the probe before the run, ", 100*worst.Lost)
	virtual := hypervisor != "" && hypervisor != "none"
	switch {
	case worst.Waited > worst.Lost/2:
		return what + "most of it to other programs on this machine: end them, or run " + other
	case virtual:
		return what + "most of it not to programs of this virtual machine but to its host: a machine with cores of its own measures better, or read the intervals with care"
	default:
		return what + "most of it to interrupts and the system: run " + other + ", or read the intervals with care"
	}
}

// threads are the facts of every rank's thread, which all ranks find out at once.
func threads(ctx context.Context, job device.Job, core int) ([]bench.RankFacts, error) {
	t := clock.Calibrate()
	noise := record.NoiseOf(job.Rank(), core, host.Noise(host.NoiseTime))
	return exchange(ctx, job, bench.RankFacts{
		Clock: record.Clock{Rank: job.Rank(), Source: t.Source, Resolution: t.Resolution, Cost: t.Cost, CostError: t.CostError},
		Noise: &noise,
	})
}

// hypervisor is that of the machine of rank 0.
func hypervisor(r *record.Run) string {
	for _, facts := range r.Hosts {
		if facts, ok := facts.(host.Facts); ok {
			return facts.Hypervisor
		}
	}
	return ""
}
