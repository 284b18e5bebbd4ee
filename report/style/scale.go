package style

import "math"

// Log is a logarithmic scale. Values without a logarithm are drawn at the lower end, so that
// drawing never fails.
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

// Sizes is a logarithmic scale for message sizes. Empty messages have a separate place left of the
// axis.
type Sizes struct {
	Zero  bool    // there are empty messages
	Least float64 // the smallest other size
}

// zeroPlace is the distance of empty messages from Least, in powers of two.
const zeroPlace = 1.7

// place returns the position of a size, in powers of two.
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

// Zeroth returns the size at whose place empty messages are.
func (s Sizes) Zeroth() float64 { return math.Exp2(s.place(0)) }
