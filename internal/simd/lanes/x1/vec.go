package lanes

import "math"

// vec is a vector of one number.
type vec float64

func (x vec) Add(y vec) vec       { return x + y }
func (x vec) Sub(y vec) vec       { return x - y }
func (x vec) Mul(y vec) vec       { return x * y }
func (x vec) Div(y vec) vec       { return x / y }
func (x vec) MulAdd(y, z vec) vec { return x*y + z }
func (x vec) Sqrt() vec           { return vec(math.Sqrt(float64(x))) }

// width is the bytes of a vector.
const width = 8

// every returns a vector of equal numbers.
func every(x float64) vec { return vec(x) }

// end ends the use of vectors.
func end() {}
