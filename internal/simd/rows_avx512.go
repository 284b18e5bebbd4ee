//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package simd

import (
	"math"
	"unsafe"
)

// rowsAVX512 has Rows in assembly, because archsimd has neither gathers nor prefetches. The best
// prefetch depends on the processor by a factor of three; what is in force without a profile is at
// most 1.25 times slower than it on those that were measured.
func (s *Set) rowsAVX512() {
	s.vary(
		rowsAs("t0", gatherer(rows32T0), gatherer(rows16T0)),
		rowsAs("nta", gatherer(rows32NTA), gatherer(rows16NTA)),
	)
}

func rowsAs(name string, far rowsFunc[int32], near rowsFunc[uint16]) variant {
	return variant{"solver", name, func(s *Set) { s.Solver.Rows, s.Solver.NearRows = far, near }}
}

type rowsFunc[C int32 | uint16] = func(out []float64, start []int32, col []C, val, x []float64)

type rowsOf[C int32 | uint16] func(out *float64, start *int32, rows int, col *C, val *float64, entries int, x *float64, cols int) bool

// rowsAtOnce bounds the time in which the runtime cannot stop the caller.
const rowsAtOnce = 1024

func gatherer[C int32 | uint16](rows rowsOf[C]) rowsFunc[C] {
	return func(out []float64, start []int32, col []C, val, x []float64) {
		start = start[:len(out)+1]
		entries, cols := min(len(col), len(val)), min(len(x), math.MaxInt32)
		for len(out) > 0 {
			n := min(len(out), rowsAtOnce)
			if !rows(&out[0], &start[0], n, unsafe.SliceData(col), unsafe.SliceData(val), entries, unsafe.SliceData(x), cols) {
				plainRows(out, start, col, val, x) // panics with the index that is out of range
			}
			out, start = out[n:], start[n:]
		}
	}
}

// rows32NTA and those below are Rows. They return false where a row is not in the entries or a
// column not in x; such a column is not read.
//
//go:noescape
func rows32NTA(out *float64, start *int32, rows int, col *int32, val *float64, entries int, x *float64, cols int) bool

//go:noescape
func rows32T0(out *float64, start *int32, rows int, col *int32, val *float64, entries int, x *float64, cols int) bool

//go:noescape
func rows16NTA(out *float64, start *int32, rows int, col *uint16, val *float64, entries int, x *float64, cols int) bool

//go:noescape
func rows16T0(out *float64, start *int32, rows int, col *uint16, val *float64, entries int, x *float64, cols int) bool
