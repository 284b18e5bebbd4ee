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

// coefficients of the exact solution, a polynomial of degree four along each axis, by component.
var coefficients = [5][13]float64{
	{2, 0, 0, 4, 5, 3, 0.5, 0.02, 0.01, 0.03, 0.5, 0.4, 0.3},
	{1, 0, 0, 0, 1, 2, 3, 0.01, 0.03, 0.02, 0.4, 0.3, 0.5},
	{2, 2, 0, 0, 0, 2, 3, 0.04, 0.03, 0.05, 0.3, 0.5, 0.4},
	{2, 2, 0, 0, 0, 2, 3, 0.03, 0.05, 0.04, 0.2, 0.1, 0.3},
	{5, 4, 3, 2, 0.1, 0.4, 0.3, 0.05, 0.04, 0.03, 0.1, 0.3, 0.2},
}

// A State holds the conserved variables at a point: density, three momenta and energy.
type State [5]float64

// Exact returns the exact solution at a point of the unit cube.
func Exact(x, y, z float64) (u State) {
	for m, e := range coefficients {
		u[m] = e[0] +
			x*(e[1]+x*(e[4]+x*(e[7]+x*e[10]))) +
			y*(e[2]+y*(e[5]+y*(e[8]+y*e[11]))) +
			z*(e[3]+z*(e[6]+z*(e[9]+z*e[12])))
	}
	return u
}

// between returns the initial value inside: the transfinite interpolation of the exact solution on
// the faces.
func between(x, y, z float64) (u State) {
	x0, x1 := Exact(0, y, z), Exact(1, y, z)
	y0, y1 := Exact(x, 0, z), Exact(x, 1, z)
	z0, z1 := Exact(x, y, 0), Exact(x, y, 1)
	for m := range u {
		a, b, c := (1-x)*x0[m]+x*x1[m], (1-y)*y0[m]+y*y1[m], (1-z)*z0[m]+z*z1[m]
		u[m] = a + b + c - a*b - a*c - b*c + a*b*c
	}
	return u
}
