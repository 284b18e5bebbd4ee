package simd

import "gobench/internal/simd/kernel"

// Yee is the kernels of package fdtd.
type Yee[T float32 | float64] = kernel.Yee[T]

// YeeH is Magnetic for a single element.
func YeeH[T float32 | float64](h, a, b, c T) T { return kernel.YeeH(h, a, b, c) }

// YeeE is Electric for a single element.
func YeeE[T float32 | float64](e, hyRight, hyLeft, hx, below, c T) T {
	return kernel.YeeE(e, hyRight, hyLeft, hx, below, c)
}
