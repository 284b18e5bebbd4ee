package figure

import "math"

// nothing is the range of a layer that does not widen an axis.
func nothing() (x0, x1, y0, y1 float64) {
	return math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
}
