// Package random is the generator of uniform numbers of the NAS Parallel Benchmarks
// (NASA RNR-94-007, section 2.3): the linear congruential sequence
//
//	s' = a s mod 2^46,  r = s' 2^-46 in (0, 1),  a = 5^13
//
// of period 2^44. The first number is computed from a s, not from the seed itself.
package random

// Multiplier is a, Seed is the seed of CG, FT, IS and MG.
const (
	Multiplier = 1220703125
	Seed       = 314159265
)

// mask selects the 46 bits of a state, scale converts it to a number below 1.
const (
	mask  = 1<<46 - 1
	scale = 0x1p-46
)

// Stream is a position in the sequence: the last state. A copy is independent.
type Stream uint64

// At returns the stream that starts n numbers after seed: its next number is number n of the
// sequence, counted from 0.
func At(seed, n uint64) Stream { return Stream(Power(Multiplier, n) * seed & mask) }

// Next returns the next number.
func (s *Stream) Next() float64 {
	*s = *s * Multiplier & mask
	return float64(*s) * scale
}

// lanes is the number of independent sequences that Fill runs, so that their
// multiplications overlap.
const lanes = 8

// Fill puts the next len(out) numbers into out.
func (s *Stream) Fill(out []float64) {
	if len(out) >= 4*lanes {
		out = s.fillLanes(out)
	}
	for i := range out {
		out[i] = s.Next()
	}
}

// fillLanes fills all but the last few elements and returns the rest.
func (s *Stream) fillLanes(out []float64) []float64 {
	ahead := Power(Multiplier, lanes)
	var x [lanes]uint64
	x[0] = uint64(*s) * Multiplier & mask
	for i := 1; i < lanes; i++ {
		x[i] = x[i-1] * Multiplier & mask
	}
	x0, x1, x2, x3, x4, x5, x6, x7 := x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]
	last := x7
	for len(out) >= lanes {
		o := (*[lanes]float64)(out)
		// Signed conversion is one instruction, unsigned is several.
		o[0], o[1], o[2], o[3] = float64(int64(x0))*scale, float64(int64(x1))*scale, float64(int64(x2))*scale, float64(int64(x3))*scale
		o[4], o[5], o[6], o[7] = float64(int64(x4))*scale, float64(int64(x5))*scale, float64(int64(x6))*scale, float64(int64(x7))*scale
		last = x7
		x0, x1, x2, x3 = x0*ahead&mask, x1*ahead&mask, x2*ahead&mask, x3*ahead&mask
		x4, x5, x6, x7 = x4*ahead&mask, x5*ahead&mask, x6*ahead&mask, x7*ahead&mask
		out = out[lanes:]
	}
	*s = Stream(last)
	return out
}

// Power returns a^n mod 2^46.
func Power(a, n uint64) uint64 {
	p := uint64(1)
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			p = p * a & mask
		}
		a = a * a & mask
	}
	return p
}

// FillPairs puts the next 2 len(x) numbers alternately into x and y, the first into x[0]. The
// slices must have the same length.
func (s *Stream) FillPairs(x, y []float64) {
	y = y[:len(x)]
	if len(x) >= 2*lanes {
		x, y = s.fillPairLanes(x, y)
	}
	for i := range x {
		x[i] = s.Next()
		y[i] = s.Next()
	}
}

// fillPairLanes fills all but the last few elements and returns the rest.
func (s *Stream) fillPairLanes(x, y []float64) (restX, restY []float64) {
	ahead := Power(Multiplier, lanes)
	var state [lanes]uint64
	state[0] = uint64(*s) * Multiplier & mask
	for i := 1; i < lanes; i++ {
		state[i] = state[i-1] * Multiplier & mask
	}
	x0, y0, x1, y1, x2, y2, x3, y3 := state[0], state[1], state[2], state[3], state[4], state[5], state[6], state[7]
	last := y3
	for len(x) >= lanes/2 && len(y) >= lanes/2 {
		a, b := (*[lanes / 2]float64)(x), (*[lanes / 2]float64)(y)
		a[0], a[1], a[2], a[3] = float64(int64(x0))*scale, float64(int64(x1))*scale, float64(int64(x2))*scale, float64(int64(x3))*scale
		b[0], b[1], b[2], b[3] = float64(int64(y0))*scale, float64(int64(y1))*scale, float64(int64(y2))*scale, float64(int64(y3))*scale
		last = y3
		x0, x1, x2, x3 = x0*ahead&mask, x1*ahead&mask, x2*ahead&mask, x3*ahead&mask
		y0, y1, y2, y3 = y0*ahead&mask, y1*ahead&mask, y2*ahead&mask, y3*ahead&mask
		x, y = x[lanes/2:], y[lanes/2:]
	}
	*s = Stream(last)
	return x, y
}
