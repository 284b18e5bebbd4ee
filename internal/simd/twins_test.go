package simd

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"gobench/internal/fuzzing"
)

// sizes are vector lengths: everything below two registers of bytes, and around
// the steps of the longest loops.
func sizes() []int {
	var list []int
	for n := range 135 {
		list = append(list, n)
	}
	for _, n := range []int{256, 320, 512} {
		list = append(list, n-1, n, n+1, n+17)
	}
	return list
}

// raw views numbers as bytes.
func raw[T any](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*size[T]())
}

// typed views bytes as numbers, wherever they start.
func typed[T any](b []byte) []T { return unsafe.Slice((*T)(start(b)), len(b)/size[T]()) }

// nan reports whether v is a NaN, which an integer never is.
func nan[T Number](v T) bool { return v != v }

// same compares bits. Where arithmetic gives a NaN, any will do.
func same[T Number](got, want []T, arithmetic bool) error {
	for i := range want {
		if arithmetic && nan(got[i]) && nan(want[i]) {
			continue
		}
		if !bytes.Equal(raw(got[i:i+1]), raw(want[i:i+1])) {
			return fmt.Errorf("element %d of %d is %v (%x), want %v (%x)", i, len(want), got[i], raw(got[i:i+1]), want[i], raw(want[i:i+1]))
		}
	}
	return nil
}

// A buffer is memory with a start that fits no register, and guards around it.
type buffer struct{ whole []byte }

const guard = 64

var untouched = bytes.Repeat([]byte{0xa5}, guard)

func newBuffer(bytes, shift int) buffer {
	p := buffer{make([]byte, guard+shift+bytes+guard)[shift:]}
	copy(p.whole, untouched)
	copy(p.whole[guard+bytes:], untouched)
	return p
}

func (p buffer) inside() []byte { return p.whole[guard : len(p.whole)-guard] }

func (p buffer) guarded() bool {
	return bytes.Equal(p.whole[:guard], untouched) && bytes.Equal(p.whole[len(p.whole)-guard:], untouched)
}

// fill repeats the bits from one of them on.
func fill(b, bits []byte, from int) {
	for len(b) > 0 && len(bits) > 0 {
		n := copy(b, bits[from%len(bits):])
		b, from = b[n:], 0
	}
}

// sources returns count vectors of n numbers with the given bits, repeated.
func sources[T Number](bits []byte, count, n, shift int) [][]T {
	list := make([][]T, count)
	for k := range list {
		b := newBuffer(n*size[T](), (shift+3*k)%16).inside()
		fill(b, bits, k*len(b))
		list[k] = typed[T](b)
	}
	return list
}

// call is a kernel on any number of sources.
type call func(dst []byte, s [][]byte)

// try compares a kernel with what the sequential loop over one gives, into
// memory of its own and into each of its sources.
func try[T Number](bits []byte, count, n, shift int, arithmetic bool, kernel call, one func(s ...T) T) error {
	clean := sources[T](bits, count, n, shift)
	want, args := make([]T, n), make([]T, count)
	for i := range want {
		for k := range args {
			args[k] = clean[k][i]
		}
		want[i] = one(args...)
	}
	for into := -1; into < count; into++ {
		s := sources[T](bits, count, n, shift)
		p := newBuffer(n*size[T](), shift%16)
		dst := typed[T](p.inside())
		if into >= 0 {
			copy(dst, s[into])
			s[into] = dst
		}
		kernel(raw(dst), raws(s))
		if err := same(dst, want, arithmetic); err != nil {
			return fmt.Errorf("%T, %d sources, dst is source %d, shift %d: %w", want, count, into, shift, err)
		}
		if !p.guarded() {
			return fmt.Errorf("%T, %d elements: memory outside of dst was written", want, n)
		}
	}
	return nil
}

func raws[T any](s [][]T) [][]byte {
	list := make([][]byte, len(s))
	for k := range s {
		list[k] = raw(s[k])
	}
	return list
}

func two(f Binary) call { return func(dst []byte, s [][]byte) { f(dst, s[0], s[1]) } }

// check compares a kernel with the sequential loop.
type check func(bits []byte, n, shift int) error

// arithmetic are the checks of what every number can.
func arithmetic[T Number](a Kernels) []check {
	sum := func(s ...T) T {
		v := s[0]
		for _, x := range s[1:] {
			v += x
		}
		return v
	}
	return []check{
		func(bits []byte, n, shift int) error { return try(bits, 2, n, shift, true, two(a.Sum), sum) },
		func(bits []byte, n, shift int) error {
			return try(bits, 3, n, shift, true, func(dst []byte, s [][]byte) { a.Sum3(dst, s[0], s[1], s[2]) }, sum)
		},
		func(bits []byte, n, shift int) error {
			return try(bits, 4, n, shift, true, func(dst []byte, s [][]byte) { a.Sum4(dst, s[0], s[1], s[2], s[3]) }, sum)
		},
		func(bits []byte, n, shift int) error {
			return try(bits, 2, n, shift, true, two(a.Prod), func(s ...T) T { return s[0] * s[1] })
		},
	}
}

// kernels are the checks of numbers that have an order.
func kernels[T Integer | float32 | float64](k Kernels) []check {
	return append(arithmetic[T](k),
		func(bits []byte, n, shift int) error {
			return try(bits, 2, n, shift, false, two(k.Max), func(s ...T) T {
				if s[0] > s[1] {
					return s[0]
				}
				return s[1]
			})
		},
		func(bits []byte, n, shift int) error {
			return try(bits, 2, n, shift, false, two(k.Min), func(s ...T) T {
				if s[0] < s[1] {
					return s[0]
				}
				return s[1]
			})
		})
}

func first(list ...error) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}

// checks hold for every kernel of a set.
func checks(s *Set) []check {
	bitwise := func(f Binary, one func(s ...byte) byte) []check {
		return []check{func(bits []byte, n, shift int) error { return try(bits, 2, n, shift, false, two(f), one) }}
	}
	return slices.Concat(
		kernels[int8](s.Int8), kernels[int16](s.Int16), kernels[int32](s.Int32), kernels[int64](s.Int64),
		kernels[uint8](s.Uint8), kernels[uint16](s.Uint16), kernels[uint32](s.Uint32), kernels[uint64](s.Uint64),
		kernels[float32](s.Float32), kernels[float64](s.Float64),
		arithmetic[complex64](s.Complex64), arithmetic[complex128](s.Complex128),
		bitwise(s.And, func(s ...byte) byte { return s[0] & s[1] }),
		bitwise(s.Or, func(s ...byte) byte { return s[0] | s[1] }),
		bitwise(s.Xor, func(s ...byte) byte { return s[0] ^ s[1] }),
	)
}

func TestTwins(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	bits := make([]byte, 1021) // a prime: every vector gets others
	for i := range bits {
		bits[i] = byte(random.Uint32())
	}
	for _, s := range Sets() {
		t.Run(s.Level, func(t *testing.T) {
			for i, n := range sizes() {
				for _, check := range checks(s) {
					if err := check(bits, n, i%16); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
}

// picked returns the set that an execution of a fuzz target tries: one is enough for each, and many
// executions try all.
func picked(pick byte) *Set { return Sets()[int(pick)%len(Sets())] }

func FuzzTwins(t *testing.F) {
	f := fuzzing.New(t)
	f.Add([]byte{1, 2, 3}, byte(67), byte(1), byte(2), byte(9))
	// NaNs and zeros of both signs
	f.Add([]byte{0, 0, 0xc0, 0x7f, 0, 0, 0, 0x80, 0, 0, 0, 0}, byte(129), byte(0), byte(1), byte(54))
	var all [][]check
	for _, s := range Sets() {
		all = append(all, checks(s))
	}
	f.Fuzz(func(t *testing.T, bits []byte, n, shift, set, kernel byte) {
		list := all[int(set)%len(all)]
		if err := list[int(kernel)%len(list)](bits, int(n)%135, int(shift)%16); err != nil {
			t.Fatalf("%s: %v", picked(set).Level, err)
		}
	})
}
