package simd

import "math"

// PolarLanes is the number of separate sums of a PolarSums: element i of the
// deviates is added to sum i mod PolarLanes, in every set.
const PolarLanes = 8

// PolarSums holds sums and counts of Gaussian deviates.
type PolarSums struct {
	X, Y   [PolarLanes]float64 // sums
	Counts [10]int64           // of pairs with k <= max(|X|, |Y|) < k+1
}

// Polar turns uniform numbers of the unit square, x[i] and y[i] in (0, 1), into
// pairs of Gaussian deviates by Marsaglia's polar method and adds them to sums:
// with a = 2x-1, b = 2y-1 and t = a^2+b^2, pairs with t <= 1 become
// (a, b) sqrt(-2 ln t / t). The lengths are equal and a multiple of PolarLanes.
// No deviate may be 10 or more, as none of numbers with 53 bits is. All sets give
// the same bits.
type Polar func(x, y []float64, sums *PolarSums)

// The logarithm follows FreeBSD's e_log.c (Sun Microsystems, 1993): with t = 2^k (1+f),
// sqrt(1/2) <= 1+f < sqrt(2), and s = f/(2+f), ln(1+f) is f - f^2/2 + s (f^2/2 + R(s^2)). Its error
// is below 1 unit in the last place (TestLogarithmIsWithinAUnit); NPB requires 1e-8 for sums.
const (
	ln2Hi = 6.93147180369123816490e-01
	ln2Lo = 1.90821492927058770002e-10
	lg1   = 6.666666666666735130e-01
	lg2   = 3.999999999940941908e-01
	lg3   = 2.857142874366239149e-01
	lg4   = 2.222219843214978396e-01
	lg5   = 1.818357216161805012e-01
	lg6   = 1.531383769920937332e-01
	lg7   = 1.479819860511658591e-01

	sqrtHalf = 0x3FE6A09E667F3BCD            // bits of sqrt(1/2)
	toHalf   = 0x3FF0000000000000 - sqrtHalf // makes the exponent change there
	fraction = 0x000FFFFFFFFFFFFF            // bits of a fraction
	integer  = 0x4330000000000000            // bits of 2^52, whose last bit is 1
	bias     = 4503599627370496.0 + 1023     // 2^52 and the bias of exponents
)

// logarithm returns ln t for normal t. Conversions keep the compiler from fusing
// multiplications and additions, so that all machines give the same bits.
func logarithm(t float64) float64 {
	bits := math.Float64bits(t) + toHalf
	k := math.Float64frombits(bits>>52|integer) - bias
	f := math.Float64frombits(bits&fraction+sqrtHalf) - 1
	half := 0.5 * f * f
	s := f / (2 + f)
	z := s * s
	w := z * z
	r := float64(z*(lg1+float64(w*(lg3+float64(w*(lg5+float64(w*lg7))))))) +
		float64(w*(lg2+float64(w*(lg4+float64(w*lg6)))))
	return float64(s*(half+r)) + float64(k*ln2Lo) - half + f + float64(k*ln2Hi)
}

func plainPolar(x, y []float64, sums *PolarSums) {
	y = y[:len(x)]
	for i := range x {
		a, b := float64(2*x[i])-1, float64(2*y[i])-1
		t := float64(a*a) + float64(b*b)
		if !(t <= 1) {
			continue
		}
		f := math.Sqrt(-2 * logarithm(t) / t)
		a, b = float64(a*f), float64(b*f)
		sums.X[i%PolarLanes] += a
		sums.Y[i%PolarLanes] += b
		sums.Counts[int(max(math.Abs(a), math.Abs(b)))]++
	}
}
