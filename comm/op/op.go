// Package op implements the operators of reductions.
//
// An operator combines vectors of elements, given as bytes because messages are bytes. It uses the
// vector kernels of internal/simd, if there is one for its type.
package op

import (
	"fmt"
	"reflect"
	"unsafe"
)

// An Op combines two vectors element by element. Operators must be associative, as in MPI:
// floating-point sums are treated as associative, so their last digits depend on the order in which
// an algorithm combines. An Op is read-only and may be used by any number of goroutines.
type Op struct {
	Name        string // "sum"
	Type        string // of an element: "float64"
	Elem        int    // bytes of one element
	Commutative bool   // left OP right is right OP left

	predefined bool
	combine    func(dst, left, right []byte)
	// sum3 and sum4 combine several vectors in one pass. Only sums have them.
	sum3    func(dst, s0, s1, s2 []byte)
	sum4    func(dst, s0, s1, s2, s3 []byte)
	invalid error
}

// String returns the name and the element type, "sum of float64".
func (o *Op) String() string { return fmt.Sprintf("%s of %s", o.Name, o.Type) }

// Predefined reports whether the operator is one of this package, which has the name of MPI's.
func (o *Op) Predefined() bool { return o.predefined }

// Err returns an *InvalidError if o is nil, or a user-defined operator without a function or with
// an element type that cannot be sent as bytes. It must be called before an operator of a caller is
// used, and returns nil for predefined ones.
func (o *Op) Err() error {
	if o == nil {
		return &InvalidError{Why: "is missing"}
	}
	return o.invalid
}

// An InvalidError reports an operator that cannot be used.
type InvalidError struct{ Name, Why string }

func (e *InvalidError) Error() string {
	if e.Name == "" {
		return "the reduction operator " + e.Why
	}
	return fmt.Sprintf("the reduction operator %q %s", e.Name, e.Why)
}

// Combine sets dst[i] = left[i] OP right[i] for every element. The lengths must be
// equal and a multiple of Elem. dst may be left or right, and must not overlap
// them otherwise. An element may lie at any address. It allocates nothing.
func (o *Op) Combine(dst, left, right []byte) { o.combine(dst, left, right) }

// Integer is a signed or unsigned integer.
type Integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Float is a floating-point number.
type Float interface{ ~float32 | ~float64 }

// Ordered is a number that can be compared with others.
type Ordered interface{ Integer | Float }

// Number is a type that can be added and multiplied.
type Number interface {
	Ordered | ~complex64 | ~complex128
}

// size returns the bytes of an element.
func size[T any]() int {
	var v T
	return int(unsafe.Sizeof(v))
}

// view returns the memory of b as elements. They need no alignment: the processors that gobench
// supports load and store at any address.
func view[T any](b []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/size[T]())
}

// lift converts a function on elements to one on bytes.
func lift[T any](f func(dst, a, b []T)) func(dst, left, right []byte) {
	return func(dst, left, right []byte) { f(view[T](dst), view[T](left), view[T](right)) }
}

// New returns an operator for a function on two elements. The function must be associative; if
// commutative is false, algorithms keep the rank order. T must have a fixed size and no pointers,
// which Err checks. The function is called on the goroutine that runs the reduction. name is used
// in messages.
func New[T any](name string, commutative bool, f func(left, right T) T) *Op {
	o := user[T](name, commutative, f == nil)
	if o.invalid == nil {
		o.combine = lift(func(dst, a, b []T) {
			a, b = a[:len(dst)], b[:len(dst)]
			for i := range dst {
				dst[i] = f(a[i], b[i])
			}
		})
	}
	return o
}

// NewVector returns an operator for a function on vectors of equal length, which sets dst[i] =
// left[i] OP right[i] and must not retain the slices. Its result must not depend on the number of
// elements, because algorithms divide vectors anywhere. dst may be left or right.
func NewVector[T any](name string, commutative bool, f func(dst, left, right []T)) *Op {
	o := user[T](name, commutative, f == nil)
	if o.invalid == nil {
		o.combine = lift(f)
	}
	return o
}

func user[T any](name string, commutative, missing bool) *Op {
	t := reflect.TypeFor[T]()
	o := &Op{Name: name, Type: t.String(), Elem: int(t.Size()), Commutative: commutative}
	switch {
	case missing:
		o.invalid = &InvalidError{name, "has no function"}
	case t.Size() == 0:
		o.invalid = &InvalidError{name, fmt.Sprintf("is for %v, which has no bytes", t)}
	case !flat(t):
		o.invalid = &InvalidError{name, fmt.Sprintf("is for %v, which holds pointers and cannot be sent as bytes", t)}
	}
	return o
}

// flat reports whether a type has a fixed size and no pointers.
func flat(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return flat(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !flat(t.Field(i).Type) {
				return false
			}
		}
		return true
	}
	return reflect.Bool <= t.Kind() && t.Kind() <= reflect.Complex128 && t.Kind() != reflect.Uintptr
}
