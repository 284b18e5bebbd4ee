package lanes

import (
	"math"
	"unsafe"
)

// Vec is a vector of one number.
type Vec float64

func (x Vec) Add(y Vec) Vec       { return x + y }
func (x Vec) Sub(y Vec) Vec       { return x - y }
func (x Vec) Mul(y Vec) Vec       { return x * y }
func (x Vec) Div(y Vec) Vec       { return x / y }
func (x Vec) MulAdd(y, z Vec) Vec { return x*y + z }
func (x Vec) Sqrt() Vec           { return Vec(math.Sqrt(float64(x))) }

type vec = Vec

// width is the bytes of a vector.
const width = 8

// every returns a vector of equal numbers.
func every(x float64) vec { return vec(x) }

// end ends the use of vectors.
func end() {}

// at returns the vector i bytes behind p.
func at(p unsafe.Pointer, i int) *vec { return (*vec)(unsafe.Add(p, i)) }
