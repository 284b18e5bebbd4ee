package clock

import "slices"

// Timer states how fine and how dear the clock is on one thread.
type Timer struct {
	Resolution float64 `json:"resolution_s"` // smallest step seen between two readings, in seconds
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
	costs := make([]float64, 0, calibrateBlocks)
	step := int64(1 << 62)
	for range calibrateBlocks {
		first := Now()
		last := first
		for range calibrateCalls {
			t := Now()
			if d := t - last; d > 0 && d < step {
				step = d
			}
			last = t
		}
		costs = append(costs, float64(last-first)/calibrateCalls)
	}
	slices.Sort(costs)
	return Timer{
		Resolution: float64(step) / 1e9,
		Cost:       costs[len(costs)/2] / 1e9,
		Source:     source(),
	}
}
