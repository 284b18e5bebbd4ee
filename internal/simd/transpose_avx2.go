//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package simd

import (
	"simd/archsimd"
	"unsafe"
)

// lanePoint is the distance of two points in lanes, in bytes.
const lanePoint = 8 * components * LineLanes

func toLanesAVX2(dst, src []float64, rows *[LineLanes]int, comp, n int) {
	whole := n &^ 3
	if whole > 0 {
		_ = dst[components*LineLanes*n-1]
		for m := range components {
			for half := 0; half < LineLanes; half += 4 {
				r := rows[half : half+4 : half+4]
				a, b := start(src[r[0]+m*comp:r[0]+m*comp+n]), start(src[r[1]+m*comp:r[1]+m*comp+n])
				c, d := start(src[r[2]+m*comp:r[2]+m*comp+n]), start(src[r[3]+m*comp:r[3]+m*comp+n])
				q := unsafe.Pointer(&dst[m*LineLanes+half])
				for i, o := 0, 0; i < 8*whole; i, o = i+32, o+4*lanePoint {
					w, x, y, z := load(a, i), load(b, i), load(c, i), load(d, i)
					wx0, wx1 := w.ConcatPermuteScalarsGrouped(0, 2, x), w.ConcatPermuteScalarsGrouped(1, 3, x)
					yz0, yz1 := y.ConcatPermuteScalarsGrouped(0, 2, z), y.ConcatPermuteScalarsGrouped(1, 3, z)
					wx0.ConcatPermute128Scalars(0, 2, yz0).StoreArray(at[[4]float64](q, o))
					wx1.ConcatPermute128Scalars(0, 2, yz1).StoreArray(at[[4]float64](q, o+lanePoint))
					wx0.ConcatPermute128Scalars(1, 3, yz0).StoreArray(at[[4]float64](q, o+2*lanePoint))
					wx1.ConcatPermute128Scalars(1, 3, yz1).StoreArray(at[[4]float64](q, o+3*lanePoint))
				}
			}
		}
		archsimd.ClearAVXUpperBits()
	}
	plainToLanes(dst[components*LineLanes*whole:], src[whole:], rows, comp, n-whole)
}

func toRowsAVX2(dst, src []float64, rows *[LineLanes]int, comp, n int) {
	whole := n &^ 3
	if whole > 0 {
		_ = src[components*LineLanes*n-1]
		for m := range components {
			for half := 0; half < LineLanes; half += 4 {
				r := rows[half : half+4 : half+4]
				a, b := start(dst[r[0]+m*comp:r[0]+m*comp+n]), start(dst[r[1]+m*comp:r[1]+m*comp+n])
				c, d := start(dst[r[2]+m*comp:r[2]+m*comp+n]), start(dst[r[3]+m*comp:r[3]+m*comp+n])
				q := unsafe.Pointer(&src[m*LineLanes+half])
				for i, o := 0, 0; i < 8*whole; i, o = i+32, o+4*lanePoint {
					w, x, y, z := load(q, o), load(q, o+lanePoint), load(q, o+2*lanePoint), load(q, o+3*lanePoint)
					wx0, wx1 := w.ConcatPermuteScalarsGrouped(0, 2, x), w.ConcatPermuteScalarsGrouped(1, 3, x)
					yz0, yz1 := y.ConcatPermuteScalarsGrouped(0, 2, z), y.ConcatPermuteScalarsGrouped(1, 3, z)
					wx0.ConcatPermute128Scalars(0, 2, yz0).StoreArray(at[[4]float64](a, i))
					wx1.ConcatPermute128Scalars(0, 2, yz1).StoreArray(at[[4]float64](b, i))
					wx0.ConcatPermute128Scalars(1, 3, yz0).StoreArray(at[[4]float64](c, i))
					wx1.ConcatPermute128Scalars(1, 3, yz1).StoreArray(at[[4]float64](d, i))
				}
			}
		}
		archsimd.ClearAVXUpperBits()
	}
	plainToRows(dst[whole:], src[components*LineLanes*whole:], rows, comp, n-whole)
}
