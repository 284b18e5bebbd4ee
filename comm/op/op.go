// Package op implements the operators of reductions.
//
// An operator combines vectors of elements, given as bytes because messages are bytes. It uses the
// vector kernels of internal/simd, if there is one for its type.
package op

import "fmt"

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
