package flow

// A Grid is the problem: points and their distances, and the length of a step.
type Grid struct {
	N  [3]int     // points
	H  [3]float64 // distances
	Dt float64
}

// Cube returns the grid of n points along each axis of the unit cube.
func Cube(n int, dt float64) Grid {
	h := 1 / float64(n-1)
	return Grid{[3]int{n, n, n}, [3]float64{h, h, h}, dt}
}

// Constants of the equations and of the scheme.
const (
	viscosity = 0.1
	damping   = 0.25
)

// delta holds the coefficients of the second difference along each axis.
var delta = [3]float64{0.75, 0.75, 1}

// Delta returns the coefficient of the second difference along an axis.
func Delta(axis int) float64 { return delta[axis] }

// Half returns 1 / 2h along an axis.
func (g *Grid) Half(axis int) float64 { return 1 / (2 * g.H[axis]) }

// Square returns 1 / h^2 along an axis.
func (g *Grid) Square(axis int) float64 { return 1 / (g.H[axis] * g.H[axis]) }

// Coordinate returns the coordinate of the point with index i along an axis.
func (g *Grid) Coordinate(axis, i int) float64 { return float64(i) * g.H[axis] }

// fourth returns the weights of the fourth difference at index i of n points, from two points
// before to two points after. The outermost stencils leave out the points on the faces.
func fourth(i, n int) [5]float64 {
	switch {
	case i <= 0 || i >= n-1:
		return [5]float64{}
	case i == 1:
		return [5]float64{0, 0, 5, -4, 1}
	case i == 2:
		return [5]float64{0, -4, 6, -4, 1}
	case i == n-3:
		return [5]float64{1, -4, 6, -4, 0}
	case i == n-2:
		return [5]float64{1, -4, 5, 0, 0}
	}
	return [5]float64{1, -4, 6, -4, 1}
}

// weights returns the weights of the values around a point along an axis: the fourth difference and
// the second.
func (g *Grid) weights(axis, i int) [5]float64 {
	w := fourth(i, g.N[axis])
	for k := range w {
		w[k] *= -damping
	}
	second := delta[axis] * g.Square(axis)
	w[1] += second
	w[2] -= 2 * second
	w[3] += second
	return w
}

// Bands returns the weights of the fourth difference times dt at count positions from first on,
// five each: what it adds to the bands of SP.
func (g *Grid) Bands(axis, first, count int) []float64 {
	list := make([]float64, 0, 5*count)
	for i := range count {
		for _, w := range fourth(first+i, g.N[axis]) {
			list = append(list, g.Dt*damping*w)
		}
	}
	return list
}
