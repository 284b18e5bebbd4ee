package collective

import (
	"encoding/binary"
	"math"
	"unsafe"

	"gobench/bench"
	"gobench/comm/op"
)

// sum is what reductions do, as in IMB.
var sum = op.Sum[float32]()

// floats is a buffer as numbers.
func floats(b []byte) []float32 {
	if len(b) == 0 {
		return []float32{}
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(&b[0])), len(b)/4)
}

// Reductions add up small whole numbers, which float32 holds exactly in any
// order: element i of rank r is base + r with a base of at most 63.
func base(i int, iteration uint64) float32 {
	return float32((uint64(i)*7 + iteration*13) & 63)
}

func fillVector(v []float32, rank int, iteration uint64) {
	for i := range v {
		v[i] = base(i, iteration) + float32(rank)
	}
}

// spoilVector writes what no sum is.
func spoilVector(v []float32) {
	for i := range v {
		v[i] = -1
	}
}

// matchVector compares v, whose first element is number from of the vector, with the
// sum of the first ranks.
func matchVector(v []float32, from, ranks int, iteration uint64) *bench.DataError {
	more := float32(ranks * (ranks - 1) / 2)
	for i, got := range v {
		want := base(from+i, iteration)*float32(ranks) + more
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
