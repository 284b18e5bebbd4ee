package schedule

import (
	"fmt"

	"gobench/comm/op"
	"gobench/device"
	"gobench/internal/simd"
)

// An Execution runs programs over a device, one at a time. It allocates only when a program needs
// more memory than all before it. It belongs to the goroutine that owns the device.
type Execution struct {
	dev     device.Device
	context int32
	world   []int // ranks of the device by rank of the communicator; nil = the same

	program *Program
	memory  [buffers][]byte // by Buffer
	op      *op.Op
	tag     int32
	next    int // index of the next instruction
	waiting device.Request
	half    bool // waiting is the request of a Send or Recv that has started
	slots   []device.Request
	live    int // requests in progress in slots
}

// NewExecution returns an execution for the operations of one communicator. Messages use context.
// world maps ranks of the communicator to ranks of the device; nil if they are equal.
func NewExecution(dev device.Device, context int32, world []int) *Execution {
	return &Execution{dev: dev, context: context, world: world}
}

// A LengthError reports a message with an unexpected number of bytes: the ranks disagree on the
// operation, its root or its counts.
type LengthError struct {
	Peer      int // rank in the communicator
	Got, Want int // bytes
}

func (e *LengthError) Error() string {
	return fmt.Sprintf("rank %d sent %d bytes where %d were due: the ranks do not agree on counts, root or operation", e.Peer, e.Got, e.Want)
}

// Start begins a program. The execution owns the caller's buffers send and recv until the program
// is done. All ranks must use the same tag, and programs in progress in one context must use
// different tags. The previous program must be done.
func (x *Execution) Start(p *Program, send, recv []byte, o *op.Op, tag int32) {
	x.program, x.op, x.tag, x.next = p, o, tag, 0
	x.memory[SendBuffer], x.memory[RecvBuffer] = send, recv
	if len(x.memory[Scratch]) < p.Scratch {
		x.memory[Scratch] = make([]byte, p.Scratch)
	}
	if len(x.slots) < p.Slots {
		x.slots = make([]device.Request, p.Slots)
	}
}

// Run executes the program to its end. On an error it ends all requests of this rank.
func (x *Execution) Run() error {
	_, err := x.Advance(true)
	return err
}

// Position returns the index of the next instruction.
func (x *Execution) Position() int { return x.next }

// Advance executes the program as far as possible without waiting, or to its end if block is set,
// and reports whether it is done. On an error it ends all requests of this rank.
func (x *Execution) Advance(block bool) (done bool, err error) {
	instrs := x.program.Instrs
	for x.next < len(instrs) {
		i := &instrs[x.next]
		done, err := x.step(i, block)
		if err != nil {
			x.abandon()
			return true, err
		}
		if !done {
			return false, nil
		}
		x.next++
	}
	x.release()
	return true, nil
}

// step executes one instruction. It reports false if it would have to wait and block is not set.
func (x *Execution) step(i *Instr, block bool) (bool, error) {
	switch i.Code {
	case Send:
		if block && !x.half {
			return true, x.dev.Send(x.at(i.A), x.rank(i.Peer), x.tag, x.context)
		}
		return x.whole(i, block)
	case Recv:
		if block && !x.half {
			status, err := x.dev.Recv(x.at(i.A), x.rank(i.Peer), x.tag, x.context)
			return true, x.received(i, status, err)
		}
		return x.whole(i, block)
	case Isend, Irecv:
		q, err := x.start(i)
		if err != nil {
			return true, err
		}
		x.slots[i.Slot] = q
		x.live++
		return true, nil
	case Wait:
		return x.wait(i, block)
	case Copy:
		simd.CopyCached(x.at(i.A), x.at(i.B))
	case Combine:
		x.op.Combine(x.at(i.A), x.at(i.B), x.at(i.C))
	}
	return true, nil
}

func (x *Execution) start(i *Instr) (device.Request, error) {
	if i.Code == Send || i.Code == Isend {
		return x.dev.Isend(x.at(i.A), x.rank(i.Peer), x.tag, x.context)
	}
	return x.dev.Irecv(x.at(i.A), x.rank(i.Peer), x.tag, x.context)
}

// whole executes a Send or Recv that must not block: the first call starts the request, later calls
// test it or wait for it.
func (x *Execution) whole(i *Instr, block bool) (bool, error) {
	if !x.half {
		q, err := x.start(i)
		if err != nil {
			return true, err
		}
		x.waiting, x.half = q, true
	}
	status, done, err := x.finish(x.waiting, block)
	if err == nil && !done {
		return false, nil
	}
	x.half = false
	return true, x.received(i, status, err)
}

func (x *Execution) wait(i *Instr, block bool) (bool, error) {
	q := x.slots[i.Slot]
	status, done, err := x.finish(q, block)
	if err == nil && !done {
		return false, nil
	}
	x.slots[i.Slot] = 0
	x.live--
	return true, x.received(x.starter(i.Slot), status, err)
}

// finish waits for a request, or tests it.
func (x *Execution) finish(q device.Request, block bool) (device.Status, bool, error) {
	if !block {
		return x.dev.Test(q)
	}
	status, err := x.dev.Wait(q)
	return status, true, err
}

// starter returns the instruction that started the request of a slot.
func (x *Execution) starter(slot int32) *Instr { return &x.program.Instrs[x.program.starts[slot]] }

// received checks the length of a completed receive.
func (x *Execution) received(i *Instr, status device.Status, err error) error {
	if i.Code == Send || i.Code == Isend {
		return err
	}
	if t, ok := err.(*device.TruncationError); ok {
		return &LengthError{int(i.Peer), t.Size, i.A.Len}
	}
	if err == nil && status.Size != i.A.Len {
		return &LengthError{int(i.Peer), status.Size, i.A.Len}
	}
	return err
}

func (x *Execution) at(m Mem) []byte {
	return x.memory[m.Buffer][m.Off : m.Off+m.Len : m.Off+m.Len]
}

func (x *Execution) rank(peer int32) int {
	if x.world == nil {
		return int(peer)
	}
	return x.world[peer]
}

// release drops the references to the caller's buffers.
func (x *Execution) release() {
	x.memory[SendBuffer], x.memory[RecvBuffer] = nil, nil
}

// abandon ends all requests after an error: it cancels those that no peer has matched and waits for
// the others.
func (x *Execution) abandon() {
	if x.half {
		x.half = false
		x.end(x.waiting)
	}
	for s, q := range x.slots {
		if x.live > 0 && q != 0 {
			x.slots[s] = 0
			x.live--
			x.end(q)
		}
	}
	x.next = len(x.program.Instrs)
	x.release()
}

func (x *Execution) end(q device.Request) {
	x.dev.Cancel(q)
	x.dev.Wait(q) // its error is a consequence of the first one
}
