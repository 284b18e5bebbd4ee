package schedule

import (
	"fmt"

	"gobench/comm/op"
	"gobench/device"
)

// Execution runs programs, one at a time, over a device. It allocates nothing
// once it has run the largest of them. An Execution belongs to the goroutine
// that owns the device.
type Execution struct {
	dev     device.Device
	context int32
	world   []int // ranks of the device by rank of the communicator; nil = the same

	program *Program
	memory  [buffers][]byte // by Buffer
	op      *op.Op
	tag     int32
	next    int // instruction
	waiting device.Request
	half    bool // waiting is a blocking instruction's
	slots   []device.Request
	live    int // requests under way in slots
}

// NewExecution makes an execution for the operations of one communicator:
// messages travel in context, and world translates ranks (nil where ranks of
// the communicator and of the device are the same).
func NewExecution(dev device.Device, context int32, world []int) *Execution {
	return &Execution{dev: dev, context: context, world: world}
}

// LengthError says that a peer sent another number of bytes than the program
// expects: the ranks did not call the same operation with the same counts.
type LengthError struct {
	Peer      int // rank in the communicator
	Got, Want int // bytes
}

func (e *LengthError) Error() string {
	return fmt.Sprintf("rank %d sent %d bytes where %d were due: the ranks do not agree on counts, root or operation", e.Peer, e.Got, e.Want)
}

// Start begins a program. send and recv are the caller's buffers, which belong
// to the execution until it is done; all ranks use the same tag, and no two
// executions under way in one context do. The execution before must be done.
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

// Run goes on to the end. On an error everything of this rank is ended.
func (x *Execution) Run() error {
	_, err := x.advance(true)
	return err
}

// Advance goes on as far as it can without waiting and reports whether the
// program is done. On an error everything of this rank is ended.
func (x *Execution) Advance() (done bool, err error) { return x.advance(false) }

// Go is Run or Advance.
func (x *Execution) Go(block bool) (done bool, err error) { return x.advance(block) }

// Position is the number of the instruction at which the program stands.
func (x *Execution) Position() int { return x.next }

func (x *Execution) advance(block bool) (bool, error) {
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

// step does one instruction. It reports false where it would have to wait and may not.
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
		copy(x.at(i.A), x.at(i.B))
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

// whole is a blocking transfer without blocking: started at the first call, tested
// at the others, and waited for once that is allowed.
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

// starter is the instruction that started a slot. It is looked up only where its length matters.
func (x *Execution) starter(slot int32) *Instr { return &x.program.Instrs[x.program.starts[slot]] }

// received checks what a finished transfer brought.
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

// release lets go of the caller's buffers.
func (x *Execution) release() {
	x.memory[SendBuffer], x.memory[RecvBuffer] = nil, nil
}

// abandon ends what is under way after an error: what no peer has matched is
// cancelled, what is being transferred is waited for.
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
