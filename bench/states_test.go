package bench_test

import (
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"gobench/bench"
	"gobench/device"
	"gobench/internal/bench/benchtest"
	"gobench/internal/bench/clock"
	"gobench/internal/bench/state"
	"gobench/record"
)

const (
	near, far = 30e-9, 160e-9

	firstQuick = 11 // measurements of the distance before the first block
	perBlock   = 3  // after each block
)

// moving is a network whose core-to-core latency is after(i) after block i (from 0), and after(-1)
// before the first block. The delay of a message from rank 0 is 100 times the latency in a block
// between two equal latencies, and 40 us in a block in which the latency changed, so that samples
// in the wrong bin are detected.
func moving(ranks int, after func(block int) float64) *benchtest.Net {
	net := slow(ranks)
	var block atomic.Int64
	net.Distances = func(i int) float64 {
		b := max(-1, (i-firstQuick)/perBlock)
		if i < firstQuick {
			b = -1
		}
		if i >= firstQuick && (i-firstQuick)%perBlock == perBlock-1 {
			block.Store(int64(b) + 1)
		}
		return after(b)
	}
	net.Delay = func(src, _ int, _ int64) int64 {
		if src != 0 {
			return 0
		}
		b := int(block.Load())
		if after(b) != after(b-1) {
			return 40_000
		}
		return int64(math.Round(after(b) * 1e11))
	}
	return net
}

// period alternates between two distances, four blocks each.
func period(first, second float64) func(int) float64 {
	return func(block int) float64 {
		if (block+1)/4%2 == 0 {
			return first
		}
		return second
	}
}

// states returns a plan whose samples begin with the first block and cover many periods.
func states() bench.Plan {
	plan := echoes(0)
	plan.Stop = bench.Stop{Budget: second, WarmUp: 1}
	return plan
}

// A case has one point for each state of the cores, with the samples of that state only, also if
// the least distance is not known before.
func TestOnePointForEachState(t *testing.T) {
	for name, test := range map[string]struct {
		first, second float64
		smallest      float64
	}{
		"near first":            {near, far, 0},
		"far first":             {far, near, 0},
		"far first, but known":  {far, near, near},
		"near first, and known": {near, far, near},
	} {
		plan := states()
		plan.Scale.Distance = test.smallest
		points := runStates(t, moving(2, period(test.first, test.second)), plan).Points
		if len(points) != 2 {
			t.Fatalf("%s: %d points", name, len(points))
		}
		slices.SortFunc(points, func(a, b record.Point) int { return int((a.StateDistance - b.StateDistance) * 1e12) })
		shares := 0.0
		for i, d := range []float64{near, far} {
			p := points[i]
			rtt := 2.4e-6 + d*100
			precisely(t, p, "rtt_s", rtt)
			if v := p.Metrics.Get("rtt_s"); math.Abs(v.Min-rtt) > 1e-12 || math.Abs(v.Max-rtt) > 1e-12 || v.N < 1000 {
				t.Errorf("%s: %d samples from %g to %g s, all take %g s", name, v.N, v.Min, v.Max, rtt)
			}
			if math.Abs(p.StateDistance-d) > 1e-12 || p.StateShare <= 0.05 {
				t.Errorf("%s: distance %g in %g of the time, want %g", name, p.StateDistance, p.StateShare, d)
			}
			if of := (state.Scale{Distance: near}).OfPoint(&p); of != []state.State{state.Near, state.Far}[i] {
				t.Errorf("%s: the point of %g s is %v", name, d, of)
			}
			if len(p.Warnings) != 0 {
				t.Errorf("%s: warnings %q", name, p.Warnings)
			}
			shares += p.StateShare
		}
		if shares > 0.999 { // one block in four was neither
			t.Errorf("%s: both states are %g of the time", name, shares)
		}
	}
}

func TestTheLongerStateIsFirst(t *testing.T) {
	points := runStates(t, moving(2, func(block int) float64 {
		if block%10 > 6 {
			return far
		}
		return near
	}), states()).Points
	if len(points) != 2 || points[0].StateDistance != near || points[0].StateShare < points[1].StateShare {
		t.Errorf("points: %+v", points)
	}
}

// If the cores move in every block, the samples have no state, and the point has a warning.
func TestSamplesOfNoState(t *testing.T) {
	points := runStates(t, moving(2, func(block int) float64 {
		if block%2 == 0 {
			return far
		}
		return near
	}), states()).Points
	if len(points) != 1 {
		t.Fatalf("%d points", len(points))
	}
	p := points[0]
	if of := (state.Scale{Distance: near}).OfPoint(&p); of != state.Changing || p.StateDistance != 0 || p.StateShare < 0.999 {
		t.Errorf("state %v, distance %g, share %g", of, p.StateDistance, p.StateShare)
	}
	if w := strings.Join(p.Warnings, "\n"); !strings.Contains(w, "core-to-core latency changed while samples were taken") {
		t.Errorf("warnings %q", w)
	}
}

// Up to two of the three measurements after a block may be disturbed: disturbances only increase
// the distance.
func TestDisturbedMeasurementsAreNoChange(t *testing.T) {
	for disturbed, want := range map[int]int{0: 1, 1: 1, 2: 1, 3: 2} {
		net := slow(2)
		net.Distances = func(i int) float64 {
			block := (i - firstQuick) / perBlock
			if i >= firstQuick && block%6 > 2 && (i+block)%perBlock < disturbed {
				return far
			}
			return near
		}
		points := runStates(t, net, states()).Points
		if len(points) != want {
			t.Errorf("%d of three disturbed: %d points", disturbed, len(points))
		}
		if p := points[0]; want == 1 && (p.StateShare < 0.999 || p.StateDistance != near) {
			t.Errorf("%d of three disturbed: %g s in %g of the time", disturbed, p.StateDistance, p.StateShare)
		}
	}
}

// Ranks that share a core measure no core-to-core latency; it is not measured between blocks,
// because it takes long.
func TestRanksThatShareACoreHaveNoState(t *testing.T) {
	net := slow(2)
	var last atomic.Int64 // both ranks measure
	net.Distances = func(i int) float64 { last.Store(int64(i)); return 3e-6 * float64(1+i%5) }
	p := run(t, net, states()).Points[0]
	if p.StateDistance != 0 || p.StateShare != 0 || p.DistanceBefore == 0 {
		t.Errorf("distance %g in %g of the time, before the cell %g", p.StateDistance, p.StateShare, p.DistanceBefore)
	}
	if n := last.Load() + 1; n > 2*firstQuick {
		t.Errorf("%d measurements", n)
	}
}

// The plan supplies a CoreLatencyMeter for a channel that lacks one.
func TestPairsOfThePlanMeasure(t *testing.T) {
	net := slow(2)
	plan := states()
	channels := net.Devices()
	for i := range channels {
		channels[i] = plainChannel{channels[i]}
	}
	plan.Pairs = always(near)
	found := &benchtest.Found{}
	for rank, err := range benchtest.Run(t.Context(), channels, plan, found) {
		if err != nil {
			t.Fatalf("rank %d: %v", rank, err)
		}
	}
	if p := found.Points[0]; p.DistanceBefore != near || p.StateDistance != near || p.StateShare < 0.999 {
		t.Errorf("before %g, state %g in %g of the time", p.DistanceBefore, p.StateDistance, p.StateShare)
	}
}

// Collectives have a point for each state, too, with the other metrics of the same samples.
func TestStatesOfCollectives(t *testing.T) {
	plan := collective(bench.StartBarrier, onTime, 8)
	plan.Stop = bench.Stop{Budget: second, WarmUp: 1}
	net := clocked(2)
	moved := moving(2, period(near, far))
	net.Distances, net.Delay = moved.Distances, moved.Delay
	points := runStates(t, net, plan).Points
	if len(points) != 2 {
		t.Fatalf("%d points", len(points))
	}
	for _, p := range points {
		local, global := p.Metrics.Get("local_s"), p.Metrics.Get("global_s")
		if local.N != global.N || local.Max > 100e-6 || local.Max-local.Min > 1e-6 {
			t.Errorf("distance %g: local %+v, %d global", p.StateDistance, local, global.N)
		}
	}
}

// plainChannel hides the CoreLatencyMeter of the channel.
type plainChannel struct{ device.Channel }

func (c plainChannel) Now() int64         { return c.Channel.(clock.Keeper).Now() }
func (c plainChannel) Compute(ns int64)   { c.Channel.(clock.Keeper).Compute(ns) }
func (c plainChannel) Timer() clock.Timer { return c.Channel.(clock.Keeper).Timer() }

// always is the distance of all ranks, in seconds.
type always float64

func (a always) CoreLatency(int, int, int) (float64, error) { return float64(a), nil }
