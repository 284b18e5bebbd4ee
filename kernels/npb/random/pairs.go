package random

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
