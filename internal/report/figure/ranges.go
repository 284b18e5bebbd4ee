package figure

import "math"

// nothing returns the range of a layer that does not extend an axis.
func nothing() (x0, x1, y0, y1 float64) {
	return math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
}
