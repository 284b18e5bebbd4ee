// Package op holds reduction operators on vectors of bytes.
package op

// Op combines two vectors element by element.
type Op struct {
	Name        string
	Type        string // of an element, "float64"
	Elem        int    // bytes of an element
	Commutative bool
	combine     func(dst, left, right []byte)
}

// Combine makes dst[i] = left[i] op right[i]. Lengths are equal and a multiple
// of Elem. dst may be left or right.
func (o *Op) Combine(dst, left, right []byte) { o.combine(dst, left, right) }
