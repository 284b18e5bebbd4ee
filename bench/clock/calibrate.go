package clock

import "slices"

// Timer states how fine and how dear the clock is on one thread.
type Timer struct {
	Resolution float64 `json:"resolution_s"` // unit in which readings change: divisor of all steps seen, in seconds
	Cost       float64 `json:"cost_s"`       // one call of Now, median over blocks of calls, in seconds
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
	slices.Sort(costs)
	return Timer{
		Resolution: float64(step) / 1e9,
		Cost:       costs[len(costs)/2] / 1e9,
		Source:     source(),
	}
}

// divisor is the greatest common divisor.
func divisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
