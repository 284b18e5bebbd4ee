package flow

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
