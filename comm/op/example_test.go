package op_test

import (
	"encoding/binary"
	"fmt"
	"math"

	"gobench/comm/op"
)

// A predefined operator combines vectors of bytes in the order of this machine, element by element.
func Example() {
	left, right := []byte{1, 200, 3}, []byte{4, 5, 6}
	o := op.Max[uint8]()
	o.Combine(left, left, right)
	fmt.Println(o, left)
	// Output: max of uint8 [4 200 6]
}

// An operator of the user keeps the order of its operands if it is not commutative: here the left
// one wins unless it is not a number.
func ExampleNew() {
	first := op.New("first number", false, func(left, right float64) float64 {
		if math.IsNaN(left) {
			return right
		}
		return left
	})
	if err := first.Err(); err != nil {
		fmt.Println(err)
		return
	}
	left := binary.NativeEndian.AppendUint64(nil, math.Float64bits(math.NaN()))
	right := binary.NativeEndian.AppendUint64(nil, math.Float64bits(2.5))
	first.Combine(left, left, right)
	fmt.Println(first, math.Float64frombits(binary.NativeEndian.Uint64(left)))
	// Output: first number of float64 2.5
}

// An operator on pointers cannot be sent.
func ExampleOp_Err() {
	fmt.Println(op.New("join", true, func(left, right *int) *int { return left }).Err())
	// Output:
	// the reduction operator "join" is for *int, which holds pointers and cannot be sent as bytes
}
