package clock

import "slices"

// Timer states how fine and how dear the clock is on one thread.
type Timer struct {
	Resolution float64 `json:"resolution_s"` // unit in which readings change: divisor of all steps seen, in seconds
	Cost       float64 `json:"cost_s"`       // one call of Now, median over blocks of calls, in seconds
	CostError  float64 `json:"cost_error_s"` // by which the cost differs from block to block: half of the distance of their quartiles, in seconds
	Source     string  `json:"source"`       // "CLOCK_MONOTONIC (tsc)": the clock, and what the kernel reads it from
}

const (
	calibrateBlocks = 101
	calibrateCalls  = 100
)

// Calibrate measures the clock on the calling thread, which the caller has
// pinned to the core that will do the timing. It takes about a millisecond.
func Calibrate() Timer {
	costs := make([]float64, calibrateBlocks)
	var step int64
	for i := range costs {
		first := Now()
		for range calibrateCalls - 1 {
			Now()
		}
		elapsed := Now() - first
		costs[i] = float64(elapsed) / calibrateCalls
		step = divisor(step, elapsed)
	}
	cost, around := middle(costs)
	return Timer{
		Resolution: float64(step) / 1e9,
		Cost:       cost / 1e9,
		CostError:  around / 1e9,
		Source:     source(),
	}
}

// middle is the median of values and half of the distance of their quartiles. It sorts them.
func middle(values []float64) (median, around float64) {
	slices.Sort(values)
	n := len(values)
	return values[n/2], (values[3*n/4] - values[n/4]) / 2
}

// divisor is the greatest common divisor.
func divisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
