//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package simd

import (
	"math"
	"unsafe"
)

// rowsAVX512 has Rows in assembly, because archsimd has neither gathers nor prefetches.
func (s *Set) rowsAVX512() {
	s.Solver.Rows = func(out []float64, start, col []int32, val, x []float64) { gatherRows(rows32, out, start, col, val, x) }
	s.Solver.NearRows = func(out []float64, start []int32, col []uint16, val, x []float64) {
		gatherRows(rows16, out, start, col, val, x)
	}
}

// rowsAtOnce bounds the time in which the runtime cannot stop the caller.
const rowsAtOnce = 1024

func gatherRows[C int32 | uint16](rows func(*float64, *int32, int, *C, *float64, int, *float64, int) bool,
	out []float64, start []int32, col []C, val, x []float64) {
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

// rows32 is Rows. It returns false where a row is not in the entries or a column not in x; such a
// column is not read.
//
//go:noescape
func rows32(out *float64, start *int32, rows int, col *int32, val *float64, entries int, x *float64, cols int) bool

// rows16 is rows32 for columns of 16 bits.
//
//go:noescape
func rows16(out *float64, start *int32, rows int, col *uint16, val *float64, entries int, x *float64, cols int) bool
