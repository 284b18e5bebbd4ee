package lanes

import "gobench/internal/simd/kernel"

// YeeOf returns the kernels of plain Go.
func YeeOf[T float32 | float64]() kernel.Yee[T] {
	return kernel.Yee[T]{Magnetic: Magnetic[T], Electric: Electric[T], Both: Both[T]}
}

// Magnetic and the next two are kernels of Yee.
func Magnetic[T float32 | float64](h, a, b []T, c T) {
	a, b = a[:len(h)], b[:len(h)]
	for i := range h {
		h[i] = kernel.YeeH(h[i], a[i], b[i], c)
	}
}

func Electric[T float32 | float64](e, hx, below, hy []T, c T) {
	n := len(e)
	left, right := hy[:n], hy[1:n+1]
	hx, below = hx[:n], below[:n]
	for i := range e {
		e[i] = kernel.YeeE(e[i], right[i], left[i], hx[i], below[i], c)
	}
}

// Values that are used again are kept in variables: the next point is not updated
// yet, and Hy on the left is.
func Both[T float32 | float64](e, above, hx, below, hy []T, c T) {
	n := len(hx)
	next, right := e[1:n+1], hy[1:n+1]
	e, above, below = e[:n], above[:n], below[:n]
	left := hy[0]
	for i := range hx {
		x := kernel.YeeH(hx[i], e[i], above[i], c)
		y := kernel.YeeH(right[i], next[i], e[i], c)
		hx[i], right[i] = x, y
		e[i] = kernel.YeeE(e[i], y, left, x, below[i], c)
		left = y
	}
}
