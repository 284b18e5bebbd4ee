package clock

import (
	"math"
	"slices"
)

// A Timer describes the clock on one thread. All times are in seconds.
type Timer struct {
	// Resolution is the observed step of readings: a clock in nanoseconds may change in steps of 10
	// ns.
	Resolution float64 `json:"resolution_s"`

	Cost float64 `json:"cost_s"` // one call of Now: the median over blocks of calls
	// half of the 95 % interval of Cost between blocks, at least the error caused by Resolution
	CostError float64 `json:"cost_error_s,omitempty"`
	// the clock and the kernel's clock source: "CLOCK_MONOTONIC (tsc)"
	Source string `json:"source"`
}

const (
	calibrateBlocks = 101
	calibrateCalls  = 100

	stepReadings = 8192 // pairs of readings that are searched for steps
	stepWaits    = 32   // different waits between the two of a pair, in turns of an empty loop
	stepTimeout  = 20e6 // ns of further readings if the clock has not stepped yet

	stepRare   = 200 // lengths in fewer than one of stepRare readings are ignored, such as those of interrupts
	stepShare  = 20  // steps are computed between lengths that occur in at least one of stepShare readings
	stepSmooth = 3   // successive whole nanoseconds that occur in a row show a clock without coarser steps
)

// Calibrate measures the clock on the calling thread, which the caller has pinned to the core that
// will do the timing. It takes about a millisecond.
func Calibrate() Timer {
	blocks := make([]int64, calibrateBlocks)
	for i := range blocks {
		first := Now()
		for range calibrateCalls - 1 {
			Now()
		}
		blocks[i] = Now() - first
	}
	t := timer(steps(Now), blocks, calibrateCalls)
	t.Source = source()
	return t
}

// steps returns the times between many pairs of readings of a clock. The waits between the two
// readings vary, so that readings in phase with the clock do not hide its step. If the clock does
// not change, steps returns after stepTimeout.
func steps(now func() int64) []int64 {
	s := make([]int64, stepReadings)
	begin := now()
	for moved := false; !moved; {
		for i := range s {
			first := now()
			for j := range i % stepWaits {
				s[i] += int64(j) // keeps the compiler from removing the loop
			}
			s[i] = now() - first
		}
		moved = slices.Max(s) > 0 || now()-begin > stepTimeout
	}
	return s
}

// timer evaluates the times between two readings, and the times of blocks of calls, in ns.
func timer(steps, blocks []int64, calls int) Timer {
	resolution := step(steps)
	costs := make([]float64, len(blocks))
	for i, b := range blocks {
		costs[i] = float64(b) / float64(calls)
	}
	slices.Sort(costs)
	n := len(costs)
	// Ranks of the order statistics that bound a median at 95 %, by the normal approximation.
	away := 0.98 * math.Sqrt(float64(n))
	lo := costs[max(0, int(float64(n)/2-away))]
	hi := costs[min(n-1, int(float64(n)/2+away))]
	return Timer{
		Resolution: resolution / 1e9,
		Cost:       costs[n/2] / 1e9,
		CostError:  max((hi-lo)/2, resolution/2/float64(calls)) / 1e9,
	}
}

// step returns the step of a clock in ns, from the times between two readings.
//
// These times are whole numbers of steps, rounded to ns: those of a step of 10.015 ns are 20 and
// 30, and sometimes 21 and 31. Neighbouring numbers therefore count as one length, and the step is
// the least distance between two common lengths. If three or more numbers follow each other, the
// clock has a resolution of a nanosecond.
func step(times []int64) float64 {
	sorted := slices.Clone(times)
	slices.Sort(sorted)
	var lengths []length
	for i := 0; i < len(sorted); {
		j := i
		for j < len(sorted) && sorted[j] == sorted[i] {
			j++
		}
		x, count := sorted[i], j-i
		i = j
		if count*stepRare < len(sorted) {
			continue
		}
		if last := len(lengths) - 1; last >= 0 && x == lengths[last].largest+1 {
			lengths[last].add(x, count)
		} else {
			lengths = append(lengths, length{smallest: x})
			lengths[last+1].add(x, count)
		}
	}
	lengths = slices.DeleteFunc(lengths, func(l length) bool { return l.count*stepShare < len(sorted) })
	smallest := math.Inf(1)
	for i, l := range lengths {
		if l.largest-l.smallest+1 >= stepSmooth {
			return 1
		}
		if i > 0 {
			smallest = min(smallest, l.mean()-lengths[i-1].mean())
		}
	}
	if !math.IsInf(smallest, 1) {
		return smallest
	}
	// Only one length: the clock rarely changes, or changes with every reading.
	i := slices.IndexFunc(sorted, func(x int64) bool { return x > 0 })
	if i < 0 {
		return stepTimeout // it did not step in that time
	}
	return float64(sorted[i])
}

// A length is a range of adjacent times between two readings in whole ns, with their number and
// sum.
type length struct {
	smallest, largest int64
	count             int
	sum               int64
}

func (l *length) add(x int64, count int) {
	l.largest, l.count, l.sum = x, l.count+count, l.sum+x*int64(count)
}

func (l *length) mean() float64 { return float64(l.sum) / float64(l.count) }
