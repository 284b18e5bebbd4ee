package npb

import "math"

// Result is the result of a run on one rank.
type Result struct {
	Seconds float64 // of the timed region, on this rank
	Checks  []Check // on rank 0, and on other ranks that hold verified quantities: all must pass
	// Facts and Metrics of the run, for its record, on rank 0 (see application.Outcome).
	Facts   map[string]any
	Metrics map[string]float64
	Text    string // on rank 0: results in the layout of the official output, whole lines
}

// Unknown returns the reference of a quantity without an official value, NaN: one of a class that
// is not official.
func Unknown() float64 { return math.NaN() }

// Check is one verified quantity.
type Check struct {
	Name      string  // "zeta", "checksum 3"
	Value     float64 // computed
	Reference float64 // official, or Unknown
	Error     float64 // relative, or as the kernel defines it
	Epsilon   float64 // greatest Error that passes
}

// Relative returns the check of a value by its relative error.
func Relative(name string, value, reference, epsilon float64) Check {
	return Check{name, value, reference, math.Abs((value - reference) / reference), epsilon}
}

// Right reports whether the check passes. NaN never does.
func (c Check) Right() bool { return c.Error <= c.Epsilon }

// Verified reports whether there are checks and all of them pass.
func (r Result) Verified() bool {
	for _, c := range r.Checks {
		if !c.Right() {
			return false
		}
	}
	return len(r.Checks) > 0
}
