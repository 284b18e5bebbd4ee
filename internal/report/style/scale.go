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

// Sizes is a logarithmic scale for message sizes. Empty messages have a separate position left of
// the axis.
type Sizes struct {
	Zero     bool    // there are empty messages
	Smallest float64 // the smallest other size
}

// zeroDistance is the distance of empty messages from Smallest, in powers of two.
const zeroDistance = 1.7

// position returns the position of a size, in powers of two.
func (s Sizes) position(x float64) float64 {
	if x <= 0 {
		return math.Log2(s.Smallest) - zeroDistance
	}
	return math.Log2(x)
}

// Normalize implements plot.Normalizer.
func (s Sizes) Normalize(lo, hi, x float64) float64 {
	a, b := s.position(lo), s.position(hi)
	return (s.position(x) - a) / (b - a)
}

// Zeroth returns the size at the position of empty messages.
func (s Sizes) Zeroth() float64 { return math.Exp2(s.position(0)) }
