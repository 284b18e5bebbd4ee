package op

import (
	"bytes"
	"fmt"
	"testing"
	"unsafe"
)

// lengths are vector lengths in elements.
var lengths = []int{0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 67, 257}

func raw[T any](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*size[T]())
}

// oracle tries an operator against a sequential loop over want: all lengths, with
// dst of its own and as left and as right, and several sources together.
func oracle[T comparable](t *testing.T, o *Op, element func(i int) T, want func(left, right T) T) {
	t.Helper()
	if err := o.Err(); err != nil {
		t.Fatal(err)
	}
	if o.Elem != size[T]() {
		t.Errorf("%v: elements of %d bytes, want %d", o, o.Elem, size[T]())
	}
	for _, n := range lengths {
		for into := range 3 {
			v := [3][]T{make([]T, n), vector(n, 0, element), vector(n, 1, element)}
			expected := make([]T, n)
			for i := range expected {
				expected[i] = want(v[1][i], v[2][i])
			}
			v[0] = v[into]
			o.Combine(raw(v[0]), raw(v[1]), raw(v[2]))
			compare(t, fmt.Sprintf("%v into operand %d", o, into), v[0], expected)
		}
		for count := range 9 {
			oracleAll(t, o, n, count, element, want)
		}
	}
}

// oracleAll combines count vectors.
func oracleAll[T comparable](t *testing.T, o *Op, n, count int, element func(i int) T, want func(left, right T) T) {
	t.Helper()
	for _, inPlace := range []bool{false, true} {
		dst := vector(n, 100, element)
		expected := append([]T(nil), dst...)
		srcs := make([][]byte, count)
		for k := range srcs {
			v := vector(n, k, element)
			for i := range expected {
				if k == 0 {
					expected[i] = v[i]
				} else {
					expected[i] = want(expected[i], v[i])
				}
			}
			if k == 0 && inPlace {
				dst = v
			}
			srcs[k] = raw(v)
		}
		o.CombineAll(raw(dst), srcs)
		compare(t, fmt.Sprintf("%v of %d vectors, in place: %v", o, count, inPlace), dst, expected)
	}
}

func vector[T any](n, k int, element func(i int) T) []T {
	v := make([]T, n)
	for i := range v {
		v[i] = element(i + k*1009)
	}
	return v
}

func compare[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	for i := range want {
		nan := got[i] != got[i] && want[i] != want[i]
		if !nan && !bytes.Equal(raw(got[i:i+1]), raw(want[i:i+1])) {
			t.Fatalf("%s: element %d of %d is %v, want %v", what, i, len(want), got[i], want[i])
		}
	}
}

// bits is any value of T, the same for the same i.
func bits[T any](i int) T {
	var v [1]T
	b := raw(v[:])
	for k := range b {
		x := uint64(i*31+k) * 0x9e3779b97f4a7c15
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		b[k] = byte(x >> 56)
	}
	return v[0]
}

// few is one of a few values, so that ties and zeros are frequent.
func few[T Ordered](i int) T { return T(bits[uint8](i) % 4) }
