package schedule

import "gobench/comm/op"

// A Call holds the arguments of a collective operation on one rank. Shape documents the contents of
// Send and Recv.
type Call struct {
	Shape      *Shape
	Send, Recv []byte
	Op         *op.Op // of reductions, else nil
}
