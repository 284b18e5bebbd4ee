package comm

import (
	"fmt"

	"gobench/comm/coll"
	"gobench/comm/op"
	"gobench/comm/schedule"
)

// begin fills in c.call for an operation on vectors, or on equal blocks, of the given size in
// bytes. send may be nil for an operation in place.
func (c *Comm) begin(kind schedule.Kind, elem, bytes int, send, recv []byte) {
	s := &c.shape
	s.Kind, s.Ranks, s.Rank, s.Root, s.Bytes, s.Elem = kind, len(c.world), c.rank, 0, bytes, elem
	s.InPlace, s.Commutative = false, false
	s.SendBlocks, s.RecvBlocks, s.Hosts, s.Sources, s.Targets = nil, nil, nil, nil, nil
	c.call.Shape, c.call.Send, c.call.Recv, c.call.Op = &c.shape, send, recv, nil
}

// reduces adds the operator of a reduction.
func (c *Comm) reduces(o *op.Op) {
	c.call.Op, c.shape.Commutative = o, o.Commutative
}

// do runs the operation that begin has described, unless err is set.
func (c *Comm) do(err error) error {
	if err != nil {
		return err
	}
	if c.inter != nil {
		err = c.inter.do(&c.call)
	} else {
		err = c.runner.Do(&c.call)
	}
	c.forget()
	return err
}

// forget drops the references to the caller's buffers.
func (c *Comm) forget() { c.call.Send, c.call.Recv, c.call.Op = nil, nil, nil }

// checkIntra checks that a communicator is open and no inter-communicator.
func (c *Comm) checkIntra() error {
	if c.inter != nil && c.world != nil {
		return ErrInter
	}
	return c.checkOpen()
}

func (c *Comm) checkOpen() error {
	if c.world == nil {
		return ErrClosed
	}
	return nil
}

func (c *Comm) checkRoot(kind schedule.Kind, root int) error {
	switch {
	case c.world == nil:
		return ErrClosed
	case c.inter != nil && kind == schedule.Bcast && (root == Root || root == ProcNull):
		return nil
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
		return fmt.Errorf("%v: %w", kind, err)
	}
	if o.Elem != size[T]() || o.Type != predefined[T]() && o.Type != own[T]() {
		return &TypeError{kind.String(), o.String(), own[T]()}
	}
	return nil
}

// checkLength returns an error unless length is due. The error names the slice what, and why
// explains due.
func checkLength(kind schedule.Kind, what string, length, due int, why string) error {
	if length == due {
		return nil
	}
	return &ArgumentError{kind.String(), "the length of " + what, length, fmt.Sprintf("%d, %s", due, why)}
}

// checkDivides checks that a slice can be cut into a block for each rank.
func (c *Comm) checkDivides(kind schedule.Kind, what string, length int) error {
	if length%len(c.world) == 0 {
		return nil
	}
	return &ArgumentError{kind.String(), "the length of " + what, length, fmt.Sprintf("a multiple of %d, the number of ranks", len(c.world))}
}

// checkVectors checks the vectors of a reduction; send may be nil (in place).
func checkVectors[T Type](kind schedule.Kind, send, recv []T) error {
	if send == nil {
		return nil
	}
	return checkLength(kind, "recv", len(recv), len(send), "the length of send")
}

// collectives implements deferred for the non-blocking collective operations of a communicator,
// whose ids are the runner's handles.
type collectives struct{ c *Comm }

// start starts the operation that begin has described, unless err is set.
func (c *Comm) start(err error) (Request, error) {
	if err == nil && c.inter != nil {
		err = ErrInter
	}
	if err != nil {
		return Request{}, err
	}
	handle, err := c.runner.Start(&c.call)
	c.forget()
	if err != nil {
		return Request{}, err
	}
	return Request{c: c, more: &c.started, id: uint64(handle)}, nil
}

func (s *collectives) wait(id uint64) (Status, error) {
	return nothing(), s.c.runner.Wait(coll.Handle(id))
}

func (s *collectives) test(id uint64) (Status, bool, error) {
	done, err := s.c.runner.Test(coll.Handle(id))
	return nothing(), done, err
}

func (s *collectives) cancel(uint64) error { return ErrNoCancel }
func (s *collectives) active() bool        { return true }
func (s *collectives) lasts() bool         { return false }

// Barrier returns when all ranks have called it.
func Barrier(c *Comm) error { return c.do(barrier(c)) }

// Ibarrier starts a Barrier. The request is complete when all ranks have started
// theirs.
func Ibarrier(c *Comm) (Request, error) { return c.start(barrier(c)) }

func barrier(c *Comm) error {
	if err := c.checkOpen(); err != nil {
		return err
	}
	c.begin(schedule.Barrier, 1, 0, nil, nil)
	return nil
}

// Bcast copies the root's data to all ranks. All slices have the same length.
func Bcast[T Type](c *Comm, data []T, root int) error { return c.do(bcast(c, data, root)) }

// Ibcast starts a Bcast.
func Ibcast[T Type](c *Comm, data []T, root int) (Request, error) {
	return c.start(bcast(c, data, root))
}

func bcast[T Type](c *Comm, data []T, root int) error {
	if err := c.checkRoot(schedule.Bcast, root); err != nil {
		return err
	}
	b := raw(data)
	c.begin(schedule.Bcast, size[T](), len(b), nil, b)
	c.shape.Root = root
	return nil
}
