package bench

import (
	"errors"
	"time"

	"gobench/bench/record"
	"gobench/launch/host"
)

// setup calibrates the clock and probes the noise on this rank's thread, all
// ranks at the same time.
func (r *rank) setup() report {
	me := r.ch.Rank()
	t := r.calibrate()
	facts := &RankFacts{Clock: record.Clock{Rank: me, Source: t.Source, Resolution: t.Resolution, Cost: t.Cost, CostError: t.CostError}}
	if d := r.plan.noise(); d > 0 {
		seen := Noise(me, r.plan.core(me), d)
		facts.Noise = &seen
	}
	rep := report{Facts: facts, Plan: r.plan.fingerprint(), Cache: LastCache()}
	errors.As(r.plan.CheckMemory(r.plan.localRanks(r.ch.Size())), &rep.Memory)
	return rep
}

// NoiseTime is how long the noise is probed where nobody says.
const NoiseTime = 20 * time.Millisecond

// Noise is what a rank loses to others on its thread, which is watched for about d. All
// ranks do this at the same time. core is -1 where the thread is not pinned.
func Noise(rank, core int, d time.Duration) record.Noise {
	seen := host.Noise(d)
	return record.Noise{
		Rank: rank, Core: core, Duration: seen.Duration,
		Detours: seen.Count, Lost: seen.Lost, Waited: seen.Waited, Longest: seen.Longest,
	}
}
