package clock

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// simulated is a clock with steps of tick ns. A reading takes cost ns, plus up to jitter ns, and
// rarely much more.
type simulated struct {
	r                  *rand.Rand
	t                  float64
	tick, cost, jitter float64
}

func (s *simulated) now() int64 {
	s.t += s.cost + s.jitter*s.r.Float64()
	if s.r.IntN(500) == 0 {
		s.t += 3000 * s.r.Float64()
	}
	return int64(math.Round(math.Floor(s.t/s.tick) * s.tick))
}

func TestStepOfSimulatedClocks(t *testing.T) {
	for _, c := range []struct {
		name               string
		tick, cost, jitter float64
		want               float64
	}{
		{"26 cycles of a 2.6 GHz counter", 10.015, 25, 12, 10.015},
		{"the same, without jitter", 10.015, 25, 0, 10.015},
		{"24 MHz", 1e3 / 24, 30, 20, 1e3 / 24},
		{"19.2 MHz", 1e3 / 19.2, 40, 20, 1e3 / 19.2},
		{"every ns", 1, 25, 20, 1},
		{"every cycle of 3 GHz", 1.0 / 3, 25, 20, 1},
		{"20 ns", 20, 45, 30, 20},
		{"100 ns", 100, 40, 20, 100},
		{"a microsecond", 1000, 40, 20, 1000},
		{"4 ms", 4e6, 40, 20, 4e6},
	} {
		s := &simulated{r: rand.New(rand.NewPCG(1, 1)), tick: c.tick, cost: c.cost, jitter: c.jitter}
		got := step(steps(s.now))
		t.Logf("%s: %.3f ns", c.name, got)
		if math.Abs(got-c.want) > 0.05*c.want {
			t.Errorf("%s: the step is %v ns, want %v", c.name, got, c.want)
		}
	}
}

func TestStepOfSeenTimes(t *testing.T) {
	repeat := func(of map[int64]int) (times []int64) {
		for x, n := range of {
			times = append(times, slices.Repeat([]int64{x}, n)...)
		}
		return times
	}
	for _, c := range []struct {
		name     string
		times    []int64
		from, to float64
	}{
		// Read with clock_gettime on a virtual machine whose counter steps by 26 cycles.
		{"20, 21, 30 and 31 ns", repeat(map[int64]int{20: 166714, 21: 5144, 30: 122392, 31: 5737}), 9.9, 10.1},
		{"with interrupts", repeat(map[int64]int{20: 1000, 30: 900, 25: 2, 417: 1, 5003: 1}), 10, 10},
		{"every ns", repeat(map[int64]int{22: 10, 23: 500, 24: 900, 25: 400, 26: 20}), 1, 1},
		{"always the same", repeat(map[int64]int{52: 1000}), 52, 52},
		{"mostly none", repeat(map[int64]int{0: 8000, 1000: 3}), 1000, 1000},
		{"none", repeat(map[int64]int{0: 8000}), stepTimeout, stepTimeout},
	} {
		if got := step(c.times); got < c.from || got > c.to {
			t.Errorf("%s: the step is %v ns, want %v to %v", c.name, got, c.from, c.to)
		}
	}
}

func TestCostAndItsError(t *testing.T) {
	blocks := make([]int64, 101)
	for i := range blocks {
		blocks[i] = 2000 + int64(i*37%101) // 20.00 to 21.00 ns a call
	}
	blocks[7] = 1e6 // preempted
	got := timer([]int64{20, 30, 20, 30}, blocks, 100)
	if math.Abs(got.Cost-20.5e-9) > 0.02e-9 {
		t.Errorf("cost %v, want 20.5 ns", got.Cost)
	}
	// Ranks 41 to 61 of 101, 0.01 ns apart.
	if math.Abs(got.CostError-0.1e-9) > 0.01e-9 {
		t.Errorf("error of the cost %v, want 0.1 ns", got.CostError)
	}
	// Blocks of equal times cannot resolve less than half of a step.
	got = timer([]int64{20, 30, 20, 30}, slices.Repeat([]int64{2000}, 101), 100)
	if math.Abs(got.CostError-0.05e-9) > 1e-15 || got.Resolution != 10e-9 {
		t.Errorf("%+v, want an error of 0.05 ns", got)
	}
}
