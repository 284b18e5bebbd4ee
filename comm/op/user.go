package op

import (
	"fmt"
	"reflect"
)

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
