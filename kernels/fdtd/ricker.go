package fdtd

import "math"

// ricker returns the wavelet at time step n, Schneider's equation 5.16: the second
// derivative of a Gaussian with its peak, 1, one period after the beginning.
func (p Problem) ricker(n int) float64 {
	x := float64(math.Pi * float64(float64(p.Courant*float64(n)/p.Source.Wavelength)-1))
	square := float64(x * x)
	return float64((1 - 2*square) * decay(square))
}

// decay returns exp(-x) for x >= 0 with an error of 2 units in the last place or
// less. Unlike math.Exp it returns the same bits on all architectures: every product is explicitly
// rounded.
func decay(x float64) float64 {
	const (
		high = 6.93147180369123816490e-01 // ln 2 = high + low; n*high is exact
		low  = 1.90821492927058770002e-10
	)
	if x > 740 {
		return 0
	}
	n := math.Floor(float64(x/math.Ln2) + 0.5)
	r := float64(n*high-x) + float64(n*low) // -x = r - n ln 2, |r| <= ln 2 / 2
	sum := 1.0
	for k := 14.0; k >= 1; k-- { // Taylor's series by Horner's rule
		sum = 1 + float64(float64(r*sum)/k)
	}
	return math.Ldexp(sum, -int(n))
}
