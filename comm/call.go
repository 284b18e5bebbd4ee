package comm

import (
	"gobench/comm/op"
	"gobench/comm/schedule"
)

// Collective operations are called by all ranks of a communicator, in the same
// order. Counts are in elements. A nil slice stands for MPI_IN_PLACE where MPI
// has that: in the place of the send buffer (of scatter: of the root's receive
// buffer) it says that the data lie in the other buffer already. No elements at
// all are an empty slice or nil, which is the same then.

// in begins a call with the caller's buffers. bytes is the length of the vector or
// of one block.
func (c *Comm) in(kind schedule.Kind, elem, bytes int, send, recv []byte) {
	c.shape = schedule.Shape{Kind: kind, Ranks: len(c.world), Rank: c.rank, Elem: elem, Bytes: bytes}
	c.call.Shape, c.call.Send, c.call.Recv, c.call.Op = &c.shape, send, recv, nil
}

// do does the operation.
func (c *Comm) do() error {
	err := c.runner.Do(&c.call)
	c.forget()
	return err
}

// forget lets go of the caller's buffers.
func (c *Comm) forget() { c.call.Send, c.call.Recv, c.call.Op = nil, nil, nil }

// reduces gives the operation its operator.
func (c *Comm) reduces(o *op.Op) {
	c.call.Op, c.shape.Commutative = o, o.Commutative
}

func (c *Comm) checkRoot(kind schedule.Kind, root int) error {
	switch {
	case c.world == nil:
		return ErrClosed
	case uint(root) >= uint(len(c.world)):
		return &ArgumentError{kind.String(), "the root", root, c.ranks()}
	}
	return nil
}

// checkOp checks a communicator and an operator for elements of type T.
func checkOp[T Type](c *Comm, kind schedule.Kind, o *op.Op) error {
	if c.world == nil {
		return ErrClosed
	}
	if err := o.Err(); err != nil {
		return &OperatorError{kind.String(), err}
	}
	if predefined, own := name[T](); o.Type != predefined && o.Type != own || o.Elem != size[T]() {
		return &TypeError{kind.String(), o.String(), own}
	}
	return nil
}

// want checks the length of a slice.
func want(kind schedule.Kind, what string, length, due int, because string) error {
	if length != due {
		return wrongLength(kind, what, length, due, because)
	}
	return nil
}
