package bench

import (
	"errors"

	"gobench/bench/record"
	"gobench/launch/host"
)

// setup calibrates the clock and probes the noise on this rank's thread, all
// ranks at the same time.
func (r *rank) setup() report {
	me := r.ch.Rank()
	t := r.calibrate()
	facts := &RankFacts{Clock: record.Clock{Rank: me, Source: t.Source, Resolution: t.Resolution, Cost: t.Cost}}
	if d := r.plan.noise(); d > 0 {
		seen := host.Noise(d)
		facts.Noise = &record.Noise{
			Rank: me, Core: r.plan.core(me), Duration: seen.Duration,
			Detours: seen.Count, Lost: seen.Lost, Longest: seen.Longest,
		}
	}
	rep := report{Facts: facts, Plan: r.plan.fingerprint(), Cache: lastCache()}
	errors.As(r.plan.CheckMemory(r.plan.localRanks(r.ch.Size())), &rep.Memory)
	return rep
}
