//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package simd

import (
	"simd/archsimd"
	"unsafe"
)

// lanePoint is the distance of two points in lanes, in bytes.
const lanePoint = 8 * components * LineLanes

// transpose returns the columns of a matrix of four rows.
func transpose(w, x, y, z archsimd.Float64x4) (a, b, c, d archsimd.Float64x4) {
	wx02, wx13 := w.ConcatPermuteScalarsGrouped(0, 2, x), w.ConcatPermuteScalarsGrouped(1, 3, x)
	yz02, yz13 := y.ConcatPermuteScalarsGrouped(0, 2, z), y.ConcatPermuteScalarsGrouped(1, 3, z)
	return wx02.ConcatPermute128Scalars(0, 2, yz02), wx13.ConcatPermute128Scalars(0, 2, yz13),
		wx02.ConcatPermute128Scalars(1, 3, yz02), wx13.ConcatPermute128Scalars(1, 3, yz13)
}

// toLanesAVX2 transposes four points of four rows at a time. Each component has two such halves of
// the eight lanes; the last points, fewer than four, are left to plain Go.
func toLanesAVX2(dst, src []float64, rows *[LineLanes]int, comp, n int) {
	whole := n &^ 3
	if whole > 0 {
		_ = dst[components*LineLanes*n-1] // the stores below check no bounds
		for m := range components {
			for half := 0; half < LineLanes; half += 4 {
				r := rows[half : half+4 : half+4]
				a, b := start(src[r[0]+m*comp:r[0]+m*comp+n]), start(src[r[1]+m*comp:r[1]+m*comp+n])
				c, d := start(src[r[2]+m*comp:r[2]+m*comp+n]), start(src[r[3]+m*comp:r[3]+m*comp+n])
				lanes := unsafe.Pointer(&dst[m*LineLanes+half])
				for i, o := 0, 0; i < 8*whole; i, o = i+32, o+4*lanePoint {
					w, x, y, z := transpose(load(a, i), load(b, i), load(c, i), load(d, i))
					w.StoreArray(at[[4]float64](lanes, o))
					x.StoreArray(at[[4]float64](lanes, o+lanePoint))
					y.StoreArray(at[[4]float64](lanes, o+2*lanePoint))
					z.StoreArray(at[[4]float64](lanes, o+3*lanePoint))
				}
			}
		}
		archsimd.ClearAVXUpperBits()
	}
	plainToLanes(dst[components*LineLanes*whole:], src[whole:], rows, comp, n-whole)
}

// toRowsAVX2 is the inverse.
func toRowsAVX2(dst, src []float64, rows *[LineLanes]int, comp, n int) {
	whole := n &^ 3
	if whole > 0 {
		_ = src[components*LineLanes*n-1] // the loads below check no bounds
		for m := range components {
			for half := 0; half < LineLanes; half += 4 {
				r := rows[half : half+4 : half+4]
				a, b := start(dst[r[0]+m*comp:r[0]+m*comp+n]), start(dst[r[1]+m*comp:r[1]+m*comp+n])
				c, d := start(dst[r[2]+m*comp:r[2]+m*comp+n]), start(dst[r[3]+m*comp:r[3]+m*comp+n])
				lanes := unsafe.Pointer(&src[m*LineLanes+half])
				for i, o := 0, 0; i < 8*whole; i, o = i+32, o+4*lanePoint {
					w, x, y, z := transpose(load(lanes, o), load(lanes, o+lanePoint), load(lanes, o+2*lanePoint), load(lanes, o+3*lanePoint))
					w.StoreArray(at[[4]float64](a, i))
					x.StoreArray(at[[4]float64](b, i))
					y.StoreArray(at[[4]float64](c, i))
					z.StoreArray(at[[4]float64](d, i))
				}
			}
		}
		archsimd.ClearAVXUpperBits()
	}
	plainToRows(dst[whole:], src[components*LineLanes*whole:], rows, comp, n-whole)
}
