package style

import "math"

// Log is a logarithmic scale. Values that have no logarithm are drawn at the
// lower end: a figure never fails because of one.
type Log struct{}

// Normalize implements plot.Normalizer.
func (Log) Normalize(lo, hi, x float64) float64 {
	if lo <= 0 || hi <= lo {
		return 0
	}
	if x <= lo {
		return 0
	}
	return math.Log(x/lo) / math.Log(hi/lo)
}

// Sizes is a scale for message sizes: logarithmic, and where there are empty
// messages, a place of their own for them left of the axis' beginning.
type Sizes struct {
	Zero  bool    // there are empty messages
	Least float64 // the smallest other size
}

// zeroPlace is how far left of Least empty messages are, in powers of two.
const zeroPlace = 1.7

// place is where a size is, in powers of two.
func (s Sizes) place(x float64) float64 {
	if x <= 0 {
		return math.Log2(s.Least) - zeroPlace
	}
	return math.Log2(x)
}

// Normalize implements plot.Normalizer.
func (s Sizes) Normalize(lo, hi, x float64) float64 {
	a, b := s.place(lo), s.place(hi)
	return (s.place(x) - a) / (b - a)
}
