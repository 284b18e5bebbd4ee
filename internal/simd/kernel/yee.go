package kernel

// Yee holds the updates of rows of Yee's scheme in two dimensions, transverse
// magnetic, in free space: E along z on the points of a grid, Hx between a
// point and the one above, Hy between a point and the one to its right. E is
// scaled by the impedance of free space, so one number, Courant's c, is in all
// equations (Taflove and Hagness, Computational Electrodynamics, 3rd ed.,
// section 3.6.6).
//
// Slices must not overlap except where stated. Elements beyond the needed length
// are not accessed; a shorter slice panics. Nothing is allocated.
//
// Products and sums are not fused, so results are the same on every machine.
type Yee[T float32 | float64] struct {
	// Magnetic is the first half of a step, for one component:
	// h[i] += c * (a[i]-b[i]) for all h. Of Hx, a is the row of E and b the row
	// above; of Hy, a is the row of E from its second point on and b the row.
	// a and b may overlap.
	Magnetic func(h, a, b []T, c T)
	// Electric is the second half:
	// e[i] += c * ((hy[i+1]-hy[i]) - (hx[i]-below[i])) for all e. hy begins left of
	// the first point and has one element more than e. below is Hx of the row below.
	Electric func(e, hx, below, hy []T, c T)
	// Both computes both halves of a step for a row in one pass over memory. e has one element
	// more than hx, the point to the right, which is read only; hy has one more, too, and its
	// first is up to date, like below. The result is bitwise that of Magnetic for Hx and for Hy
	// and then Electric.
	Both func(e, above, hx, below, hy []T, c T)
}

// YeeH is Magnetic for a single element. The conversion prevents the compiler from fusing
// multiplication and addition, which would round only once.
func YeeH[T float32 | float64](h, a, b, c T) T { return h + T(c*(a-b)) }

// YeeE is Electric for a single element.
func YeeE[T float32 | float64](e, hyRight, hyLeft, hx, below, c T) T {
	return e + T(c*((hyRight-hyLeft)-(hx-below)))
}
