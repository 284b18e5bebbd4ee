package simd

// Lanes is the number of lines in a bundle.
const Lanes = 4

// A Point holds one point of the four lines of a bundle: the real parts and
// then the imaginary ones. It fills a cache line.
const Point = 2 * Lanes

// Fourier holds the kernels of discrete Fourier transforms of many lines, four of which
// are transformed together as a bundle, an array of Points. Outside of bundles complex
// numbers are pairs of float64, and indices and distances count float64. The order of lines in a
// bundle is 0, 2, 1, 3, which needs the fewest instructions. Results of different sets differ by
// rounding, by at most 8 units in the last place of the largest magnitude that
// enters a result. Nothing is allocated. An index outside of an array panics; of a table of
// indices only the first and the last are checked.
//
// Transforms are forward, with the kernel exp(-2 pi i jk/n). A backward transform swaps real and
// imaginary parts before and after.
type Fourier struct {
	// Columns makes count bundles, room apart in dst, of 4 neighbouring columns
	// each: point k of bundle b is the four numbers from src[at[k]+base+8b] on.
	Columns func(dst, src []float64, at []int, base, count, room int, swap bool)
	// Scaled is Columns with point k of line l of bundle b multiplied by
	// lines[4b+l] points[k]; lines are in the order of a bundle, and points has one
	// number more than at.
	Scaled func(dst, src []float64, at []int, base, count, room int, swap bool, lines, points []float64)
	// FromColumns is the reverse of Columns: from bundles in src to columns in dst.
	FromColumns func(dst, src []float64, at []int, base, count, room int, swap bool)
	// Rows makes n points of a bundle of 4 rows that begin at the places in rows.
	Rows func(dst, src []float64, rows [4]int, n int, swap bool)
	// FromRows is the reverse of Rows.
	FromRows func(dst, src []float64, rows [4]int, n int, swap bool)
	// Radix4 is one pass of Stockham's algorithm with decimation in frequency: n
	// points that are left to transform, s transforms side by side. twiddles has
	// w^p, w^2p and w^3p for p from 0, where they are 1, to n/4 - 1, for w =
	// exp(-2 pi i/n), and one number more.
	Radix4 func(dst, src, twiddles []float64, n, s int)
	// Radix2 is the last pass of a length that is no power of four: s transforms of
	// two points.
	Radix2 func(dst, src []float64, s int)
}

// line gives the position in a bundle of the line that is i-th in memory.
var line = [Lanes]int{0, 2, 1, 3}

// parts returns the offsets of the real and imaginary parts in a point.
func parts(swap bool) (re, im int) {
	if swap {
		return Lanes, 0
	}
	return 0, Lanes
}

// inside panics unless the columns of all bundles lie in wide and the bundles in narrow.
func inside(narrow, wide []float64, at []int, base, count, room int) {
	n := len(at)
	if n == 0 || count <= 0 {
		return
	}
	_ = narrow[(count-1)*room : (count-1)*room+Point*n]
	_ = wide[at[0]+base : at[0]+base+Point*count]
	_ = wide[at[n-1]+base : at[n-1]+base+Point*count]
}

func plainColumns(dst, src []float64, at []int, base, count, room int, swap bool) {
	inside(dst, src, at, base, count, room)
	re, im := parts(swap)
	for k, start := range at {
		for b := range count {
			from := (*[Point]float64)(src[start+base+Point*b:])
			to := (*[Point]float64)(dst[b*room+Point*k:])
			for i, l := range line {
				to[re+l], to[im+l] = from[2*i], from[2*i+1]
			}
		}
	}
}

func plainScaled(dst, src []float64, at []int, base, count, room int, swap bool, lines, points []float64) {
	inside(dst, src, at, base, count, room)
	re, im := parts(swap)
	for k, start := range at {
		for b := range count {
			from := (*[Point]float64)(src[start+base+Point*b:])
			to := (*[Point]float64)(dst[b*room+Point*k:])
			for i, l := range line {
				f := lines[Lanes*b+l] * points[k]
				to[re+l], to[im+l] = from[2*i]*f, from[2*i+1]*f
			}
		}
	}
}

func plainFromColumns(dst, src []float64, at []int, base, count, room int, swap bool) {
	inside(src, dst, at, base, count, room)
	re, im := parts(swap)
	for k, start := range at {
		for b := range count {
			from := (*[Point]float64)(src[b*room+Point*k:])
			to := (*[Point]float64)(dst[start+base+Point*b:])
			for i, l := range line {
				to[2*i], to[2*i+1] = from[re+l], from[im+l]
			}
		}
	}
}

func plainRowsOf(dst, src []float64, rows [4]int, n int, swap bool) {
	re, im := parts(swap)
	for i, l := range line {
		row := src[rows[i] : rows[i]+2*n]
		for k := range n {
			dst[Point*k+re+l], dst[Point*k+im+l] = row[2*k], row[2*k+1]
		}
	}
}

func plainFromRows(dst, src []float64, rows [4]int, n int, swap bool) {
	re, im := parts(swap)
	for i, l := range line {
		row := dst[rows[i] : rows[i]+2*n]
		for k := range n {
			row[2*k], row[2*k+1] = src[Point*k+re+l], src[Point*k+im+l]
		}
	}
}

// passes panics unless a pass over n s points stays in its arrays.
func passes(dst, src []float64, n, s int) {
	_, _ = dst[:Point*n*s], src[:Point*n*s]
}

func plainRadix4(dst, src, twiddles []float64, n, s int) {
	passes(dst, src, n, s)
	m := n / 4
	for p := range m {
		w := (*[6]float64)(twiddles[6*p:])
		for q := range s {
			a, b := (*[Point]float64)(src[Point*(q+s*p):]), (*[Point]float64)(src[Point*(q+s*(p+m)):])
			c, d := (*[Point]float64)(src[Point*(q+s*(p+2*m)):]), (*[Point]float64)(src[Point*(q+s*(p+3*m)):])
			y := dst[Point*(q+4*s*p):]
			y0, y1 := (*[Point]float64)(y), (*[Point]float64)(y[Point*s:])
			y2, y3 := (*[Point]float64)(y[2*Point*s:]), (*[Point]float64)(y[3*Point*s:])
			for l := range Lanes {
				i := l + Lanes
				sumR, sumI := a[l]+c[l], a[i]+c[i]
				difR, difI := a[l]-c[l], a[i]-c[i]
				oddR, oddI := b[l]+d[l], b[i]+d[i]
				turnR, turnI := d[i]-b[i], b[l]-d[l] // i (b - d)
				y0[l], y0[i] = sumR+oddR, sumI+oddI
				y1[l], y1[i] = times(difR-turnR, difI-turnI, w[0], w[1])
				y2[l], y2[i] = times(sumR-oddR, sumI-oddI, w[2], w[3])
				y3[l], y3[i] = times(difR+turnR, difI+turnI, w[4], w[5])
			}
		}
	}
}

// times multiplies complex numbers.
func times(xr, xi, wr, wi float64) (r, i float64) { return xr*wr - xi*wi, xr*wi + xi*wr }

func plainRadix2(dst, src []float64, s int) {
	passes(dst, src, 2, s)
	for i := range Point * s {
		a, b := src[i], src[i+Point*s]
		dst[i], dst[i+Point*s] = a+b, a-b
	}
}
