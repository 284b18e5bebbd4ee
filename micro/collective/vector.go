package collective

import (
	"encoding/binary"
	"math"
	"unsafe"

	"gobench/bench"
	"gobench/comm/op"
)

// sum is the reduction, as in IMB.
var sum = op.Sum[float32]()

// floats returns the memory of a buffer as float32 values.
func floats(b []byte) []float32 {
	if len(b) == 0 {
		return []float32{}
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(&b[0])), len(b)/4)
}

// numbers is a set of values for reductions: element i of rank r is base + r, in multiples of a
// unit, with a base of at most 63. Their sums are exact in any order.
type numbers bool

const (
	// ordinary values, of unit 1, are for timing. A wrong low-order bit may be lost when a sum is
	// rounded.
	ordinary numbers = false
	// exact values, of unit 2^-149, are subnormal: they are added like integers, so that no wrong
	// bit is lost. They are slow on some processors.
	exact numbers = true
)

func (n numbers) of(units int) float32 {
	if n == exact {
		return math.Float32frombits(uint32(units))
	}
	return float32(units)
}

func base(i int, iteration uint64) int { return int((uint64(i)*7 + iteration*13) & 63) }

func (n numbers) fill(v []float32, rank int, iteration uint64) {
	for i := range v {
		v[i] = n.of(base(i, iteration) + rank)
	}
}

// spoilVector writes values that no sum can have.
func spoilVector(v []float32) {
	for i := range v {
		v[i] = -1
	}
}

// match compares v, the elements of the vector beginning at index from, with the sum over the first
// ranks, and returns the first defect, or nil.
func (n numbers) match(v []float32, from, ranks int, iteration uint64) *bench.DataError {
	more := ranks * (ranks - 1) / 2
	for i, got := range v {
		want := n.of(base(from+i, iteration)*ranks + more)
		if got == want {
			continue
		}
		var a, b [4]byte
		binary.NativeEndian.PutUint32(a[:], math.Float32bits(want))
		binary.NativeEndian.PutUint32(b[:], math.Float32bits(got))
		for k := range a {
			if a[k] != b[k] {
				return &bench.DataError{Size: 4 * len(v), Source: -1, Offset: 4*i + k, Want: a[k], Got: b[k]}
			}
		}
	}
	return nil
}
