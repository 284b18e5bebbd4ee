package bench_test

import (
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"gobench/bench"
)

// Distance is measured before and after: each time once to choose the number of rounds, then twice
// on each of five lines. The least counts of each line, and of the lines the median.
func TestDistanceIsRecordedAroundEveryCell(t *testing.T) {
	net := slow(4)
	distance := func(i int) float64 {
		if i == 3 {
			return 1e-3 // a measurement that was interrupted
		}
		return 30e-9 + float64(i*7%11)*1e-11
	}
	var last atomic.Int64 // both ranks measure
	net.Distances = func(i int) float64 { last.Store(int64(i)); return distance(i) }
	p := run(t, net, echoes(8)).Points[0]
	lines := func(from int) (all []float64) {
		for i := range 5 {
			all = append(all, min(distance(from+i), distance(from+5+i)))
		}
		slices.Sort(all)
		return all
	}
	if want := lines(1); p.DistanceBefore != want[2] || p.LineLow != want[0] || p.LineHigh != want[4] {
		t.Errorf("%g s before the cell, lines from %g to %g, want %g", p.DistanceBefore, p.LineLow, p.LineHigh, want)
	}
	if want := lines(int(last.Load()) - 9); p.DistanceAfter != want[2] {
		t.Errorf("%g s after the cell, want %g", p.DistanceAfter, want[2])
	}
	if len(p.Warnings) != 0 {
		t.Errorf("warnings %q", p.Warnings)
	}
}

// A collective is recorded with the least and the greatest distance in the ring; ranks that share
// no memory do not count.
func TestRingDistancesOfCollectives(t *testing.T) {
	net := clocked(4)
	net.Between = func(rank, peer int) float64 {
		switch low := min(rank, peer); {
		case low == 0 && max(rank, peer) == 3:
			return 0 // another host
		case low == 2:
			return 160e-9
		}
		return 30e-9
	}
	p := run(t, net, collective(bench.StartBarrier, onTime, 8)).Points[0]
	if p.DistanceBefore != 30e-9 || p.DistanceMin != 30e-9 || p.DistanceMax != 160e-9 {
		t.Errorf("before %g, least %g, most %g", p.DistanceBefore, p.DistanceMin, p.DistanceMax)
	}
	if p := run(t, net, echoes(8)).Points[0]; p.DistanceMin != 0 || p.DistanceMax != 0 {
		t.Errorf("of a pattern of pairs: least %g, most %g", p.DistanceMin, p.DistanceMax)
	}
}

// Pairs of the ring measure at the same time: a large job needs no more commands than a small one.
func TestCommandsForTheRing(t *testing.T) {
	small := int64(0)
	for _, c := range []struct{ ranks, local int }{{4, 4}, {9, 9}, {16, 16}, {16, 15}} {
		net := clocked(c.ranks)
		commands, calls := int64(0), atomic.Int64{}
		net.Between = func(rank, peer int) float64 {
			if rank == 2 && peer == 3 {
				calls.Add(1)
			}
			return 30e-9
		}
		net.Spoil = func(src, dst int, i int64, _ []byte) {
			if src == 0 && dst == 3 {
				commands = i
			}
		}
		plan := collective(bench.StartNone, onTime, 8)
		plan.LocalRanks, plan.Stop.MaxSamples = c.local, 30
		run(t, net, plan)
		if small == 0 {
			small = commands
		}
		// The simulated times, and so the number of blocks, differ a little.
		if n := int(calls.Load()); n != 11 || commands > small+10 {
			t.Errorf("%+v: %d measurements of a pair, %d messages to a rank, %d of 4 ranks", c, n, commands, small)
		}
	}
}

// A pair that shares a core, or is preempted, takes nothing from the measurements of the others.
func TestOneSlowPairOfTheRing(t *testing.T) {
	net, calls := clocked(4), atomic.Int64{}
	net.Between = func(rank, peer int) float64 {
		switch {
		case rank == 2 && peer == 3:
			return 1e-3
		case rank == 1 && peer == 2:
			calls.Add(1)
		}
		return 30e-9
	}
	p := run(t, net, collective(bench.StartBarrier, onTime, 8)).Points[0]
	if p.DistanceMin != 30e-9 || p.DistanceMax != 1e-3 || calls.Load() != 12 {
		t.Errorf("least %g, most %g, %d measurements of a near pair, want a trial more than the usual 11", p.DistanceMin, p.DistanceMax, calls.Load())
	}
}

func TestNoDistanceWithoutSharedMemory(t *testing.T) {
	p := run(t, slow(2), echoes(8)).Points[0]
	if p.DistanceBefore != 0 || p.DistanceAfter != 0 || p.StateDistance != 0 || p.StateShare != 0 {
		t.Errorf("recorded %g and %g, a state of %g and %g", p.DistanceBefore, p.DistanceAfter, p.StateDistance, p.StateShare)
	}
}

func TestEveryRankReportsItsClockAndNoise(t *testing.T) {
	plan := echoes(8)
	plan.Noise = millisecond
	plan.Cores = []int{3, 1, 2, -1}
	found := run(t, slow(4), plan)
	if len(found.Ranks) != 4 {
		t.Fatalf("%d ranks reported", len(found.Ranks))
	}
	for rank, f := range found.Ranks {
		if f.Clock.Rank != rank || f.Clock.Source != "simulated" || f.Clock.Resolution != 1e-9 {
			t.Errorf("rank %d: clock %+v", rank, f.Clock)
		}
		if f.Noise == nil || f.Noise.Rank != rank || f.Noise.Core != plan.Cores[rank] || f.Noise.Duration < 1e-3 {
			t.Errorf("rank %d: noise %+v", rank, f.Noise)
		}
	}
}

func TestProgressIsReportedPeriodically(t *testing.T) {
	plan := echoes(8)
	plan.Stop.Budget = second
	found := run(t, slow(2), plan)
	if n := len(found.Live); n < 8 || n > 25 {
		t.Errorf("%d reports in a second", n)
	}
	last := found.Live[len(found.Live)-1]
	if last.Bench != "echo" || last.Size != 8 || last.Metric != "rtt_s" || last.N == 0 || math.Abs(last.Median/2.416e-6-1) > 1e-3 || last.Cases != 1 {
		t.Errorf("%+v", last)
	}
}
