package collective

import (
	"bytes"
	"math"
	"reflect"
	"unsafe"

	"gobench/bench"
	"gobench/comm/op"
	"gobench/comm/schedule"
)

// by returns the operator of a reduction, with the vector loops in force.
func (o Options) by() *op.Op {
	for _, p := range op.All() {
		if p.String() == o.Reduction {
			return p
		}
	}
	return op.Sum[float32]()
}

// number lists the element types of reductions.
type number interface {
	int | int8 | int16 | int32 | int64 | uint | uint8 | uint16 | uint32 | uint64 | float32 | float64 | complex64 | complex128
}

// An element makes the operations of one element type.
type element[T number] struct{}

// elements maps the names of element types in package op to them.
var elements = map[string]interface {
	reduction(env *bench.Env, kind schedule.Kind, o Options) bench.Op
}{
	"int": element[int]{}, "int8": element[int8]{}, "int16": element[int16]{}, "int32": element[int32]{}, "int64": element[int64]{},
	"uint": element[uint]{}, "uint8": element[uint8]{}, "uint16": element[uint16]{}, "uint32": element[uint32]{}, "uint64": element[uint64]{},
	"float32": element[float32]{}, "float64": element[float64]{}, "complex64": element[complex64]{}, "complex128": element[complex128]{},
}

// vectors holds the buffers of a reduction. Element i of a rank's vector is a small number, base +
// rank, where base repeats after period elements.
type vectors[T number] struct {
	operation
	by         *op.Op
	send, recv []T
	output     []T // the part of recv that has the result
	ordinary   values[T]
	exact      values[T]
	due        [period]T // elements of the result of the prepared iteration, which repeat
	from       int       // element of the result with which the output begins
	me         int       // this rank
	first      int       // the result combines the vectors of the ranks from first
	operands   int       // to before operands; 0 = no result
}

const period = 64

func base(i int, iteration uint64) int { return int((uint64(i)*7 + iteration*13) % period) }

// values holds the elements of a rank's vector and of its result, by their base.
type values[T number] struct{ sent, result [period]T }

// newVectors returns the buffers of a rank whose result combines the vectors of the ranks from
// first to before operands.
func newVectors[T number](env *bench.Env, kind schedule.Kind, o Options, first, operands int) *vectors[T] {
	v := &vectors[T]{
		operation: newOperation(env, kind, o), by: o.by(), me: env.Rank(), first: first, operands: operands,
		send: view[T](env.Alloc(env.Bytes)), recv: view[T](env.Alloc(env.Bytes)),
	}
	v.output = v.recv
	v.ordinary = v.values(ordinary)
	v.exact = v.ordinary
	if v.by.Name == "sum" {
		v.exact = v.values(exact)
	}
	return v
}

// view returns the memory of a buffer as elements.
func view[T number](b []byte) []T {
	var v T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(v)))
}

// raw returns the memory of elements.
func raw[T number](v []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(v[0])))
}

// values returns the elements in a unit. Results are computed one element at a time, not by the
// vector loops that the operation uses.
func (v *vectors[T]) values(in unit) (all values[T]) {
	of := func(base, rank int) [1]T {
		n := base + rank
		if v.by.Name == "prod" {
			n = 1 + n%8/7 // 1, and 2 for one rank in eight: products are exact
		}
		return [1]T{of[T](n, in)}
	}
	for base := range period {
		all.sent[base] = of(base, v.me)[0]
		result := of(base, v.first)
		for rank := v.first + 1; rank < v.operands; rank++ {
			next := of(base, rank)
			v.by.Combine(raw(result[:]), raw(result[:]), raw(next[:]))
		}
		all.result[base] = result[0]
	}
	return all
}

// A unit selects the floating-point numbers of reductions. Their sums are exact in any order.
type unit bool

const (
	// ordinary numbers, of unit 1, are for timing. A wrong low-order bit may be lost when a sum is
	// rounded.
	ordinary unit = false
	// exact numbers are multiples of the smallest number, which are subnormal: they are added like
	// integers, so that no wrong bit is lost. They are slow on some processors.
	exact unit = true
)

// smallest maps kinds of numbers to the smallest one.
var smallest = map[reflect.Kind]float64{
	reflect.Float32: math.SmallestNonzeroFloat32, reflect.Complex64: math.SmallestNonzeroFloat32,
	reflect.Float64: math.SmallestNonzeroFloat64, reflect.Complex128: math.SmallestNonzeroFloat64,
}

// of returns n units as an element. Integers wrap around.
func of[T number](n int, in unit) (v T) {
	r, x := reflect.ValueOf(&v).Elem(), float64(n)
	if in == exact {
		x *= smallest[r.Kind()]
	}
	switch {
	case r.CanInt():
		r.SetInt(int64(n))
	case r.CanUint():
		r.SetUint(uint64(n))
	case r.CanFloat():
		r.SetFloat(x)
	default:
		r.SetComplex(complex(x, 0))
	}
	return v
}

func (v *vectors[T]) Prepare(iteration uint64, timed bool) {
	numbers := &v.exact
	if timed {
		numbers = &v.ordinary
	}
	for i := range v.due {
		v.due[i] = numbers.result[base(i, iteration)]
	}
	for i := range v.send {
		v.send[i] = numbers.sent[base(i, iteration)]
	}
	if v.inPlace {
		copy(v.recv, v.send)
	} else {
		for i := range v.recv { // every byte differs from the result
			for k, b := range raw(v.wanted(i)) {
				raw(v.recv[i:])[k] = ^b
			}
		}
	}
	v.prepared()
}

// wanted returns element i of the output.
func (v *vectors[T]) wanted(i int) []T { return v.due[(v.from+i)%period:][:1] }

// Check compares the output. Several in-place events have added to their own results: the result of
// such a block cannot be checked; that of the event after it, and of the check passes, can.
func (v *vectors[T]) Check(uint64) *bench.DataError {
	if v.operands == 0 || v.inPlace && v.events > 1 || v.kind == schedule.Reduce && v.last != v.c.Rank() {
		return nil
	}
	for i := range v.output {
		got, want := raw(v.output[i:i+1]), raw(v.wanted(i))
		if bytes.Equal(got, want) {
			continue
		}
		for k := range got {
			if got[k] != want[k] {
				return &bench.DataError{Size: len(raw(v.output)), Source: -1, Offset: len(got)*i + k, Want: want[k], Got: got[k]}
			}
		}
	}
	return nil
}
