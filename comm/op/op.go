// Package op has the operators of reductions.
//
// An operator combines vectors of elements that lie in memory as bytes, which is
// how messages have them. Combining is done by the vector kernels of
// internal/simd where there is one.
package op

import "fmt"

// Op combines two vectors element by element. Every operator is associative, as
// MPI asks for: sums of floating-point numbers are taken to be, so their last
// digits depend on the order in which an algorithm combines. It is read only and
// may be used by any number of goroutines.
type Op struct {
	Name        string // "sum"
	Type        string // of an element: "float64"
	Elem        int    // bytes of one element
	Commutative bool   // left OP right is right OP left

	combine func(dst, left, right []byte)
	// sum3 and sum4 combine several vectors in one pass. Only sums have them.
	sum3    func(dst, s0, s1, s2 []byte)
	sum4    func(dst, s0, s1, s2, s3 []byte)
	invalid error
}

// String is what people call the operator.
func (o *Op) String() string { return fmt.Sprintf("%s of %s", o.Name, o.Type) }

// Err says why the operator cannot be used: there is none, or a user-defined one
// has no function or an element type that cannot travel. It must be asked before
// an operator that a caller gave is used, and is nil for a predefined one.
func (o *Op) Err() error {
	if o == nil {
		return &InvalidError{Why: "is missing"}
	}
	return o.invalid
}

// InvalidError is an operator that cannot be used.
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
