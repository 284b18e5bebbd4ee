package npb

import "math"

// Result is what one rank has of a run.
type Result struct {
	Seconds float64 // of the timed region, on this rank
	Checks  []Check // on rank 0, and on those others that know what was computed: all must be right
	Text    string  // on rank 0: results as the official output has them, whole lines
}

// Check is one verified quantity.
type Check struct {
	Name      string  // "zeta", "checksum 3"
	Value     float64 // what was computed
	Reference float64 // the official value
	Error     float64 // relative, or as the kernel defines it
	Epsilon   float64 // greatest Error that is right
}

// Relative checks a value against the official one.
func Relative(name string, value, reference, epsilon float64) Check {
	return Check{name, value, reference, math.Abs((value - reference) / reference), epsilon}
}

// Right reports whether the quantity is verified. NaN is never right.
func (c Check) Right() bool { return c.Error <= c.Epsilon }

// Verified reports whether all quantities are right, and that there are any.
func (r Result) Verified() bool {
	for _, c := range r.Checks {
		if !c.Right() {
			return false
		}
	}
	return len(r.Checks) > 0
}
