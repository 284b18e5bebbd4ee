package naive

import (
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"gobench/device"
)

// Device is one rank's view of the world.
type Device struct {
	world  *world
	rank   int
	fault  Fault
	closed bool
	open   []*operation // by slot; nil if free
	age    []uint32     // by slot: how often it was released
	freed  []byte       // what Free was given last

	interrupt atomic.Pointer[device.InterruptedError] // nil until Interrupt
}

// Interrupt ends what waits for other ranks (device.Interrupter).
func (d *Device) Interrupt(cause error) {
	if d.fault != Uninterrupted {
		d.interrupt.CompareAndSwap(nil, &device.InterruptedError{Rank: -1, Cause: cause})
	}
}

// interrupted returns the error of operations after Interrupt, nil before.
func (d *Device) interrupted() error {
	if e := d.interrupt.Load(); e != nil {
		return e
	}
	return nil
}

func (d *Device) Rank() int { return d.rank }
func (d *Device) Size() int { return len(d.world.gone) }

func (d *Device) shut() bool {
	return d.closed && d.fault != NoClosed || d.world.over.Load()
}

// check returns the error of a call's arguments.
func (d *Device) check(peer int, tag int32, receive bool) error {
	switch {
	case d.shut():
		return device.ErrClosed
	case d.fault == NoArguments:
		return nil
	case receive && peer == device.AnySource:
	case peer < 0 || peer >= d.Size():
		return &device.ArgumentError{Name: "rank", Value: peer, Want: "a rank of the job"}
	}
	if tag < 0 && !(receive && tag == device.AnyTag) {
		return &device.ArgumentError{Name: "tag", Value: int(tag), Want: "a tag of 0 or more"}
	}
	return nil
}

func (d *Device) Isend(buf []byte, dst int, tag, context int32) (device.Request, error) {
	return d.start(buf, dst, tag, context, false)
}

func (d *Device) Issend(buf []byte, dst int, tag, context int32) (device.Request, error) {
	return d.start(buf, dst, tag, context, d.fault != EagerSsend)
}

// maxWaiting bounds the messages to a rank that no receive has matched, beyond what a rule needs.
const maxWaiting = 1 << 16

func (d *Device) start(buf []byte, dst int, tag, context int32, synchronous bool) (device.Request, error) {
	if err := d.check(dst, tag, false); err != nil {
		return 0, err
	}
	if err := d.interrupted(); err != nil {
		return 0, err
	}
	w := d.world
	w.Lock()
	defer w.Unlock()
	// Ranks that a time limit has left behind may send for ever. They must not fill memory.
	for len(w.inbox[dst]) > maxWaiting && w.gone[dst] == "" && d.interrupted() == nil {
		w.Unlock()
		time.Sleep(time.Millisecond)
		w.Lock()
	}
	if cause := w.gone[dst]; cause != "" {
		return 0, &device.PeerError{Rank: dst, Cause: cause}
	}
	if err := w.breach(d.rank, context, d.fault); err != nil {
		return 0, err
	}
	o := &operation{peer: dst}
	m := &message{src: d.rank, tag: tag, context: context, data: slices.Clone(buf)}
	if synchronous {
		m.sync = o
	} else {
		w.complete(o, nil)
	}
	w.deliver(dst, m, d.fault)
	return d.add(o), nil
}

func (d *Device) Irecv(buf []byte, src int, tag, context int32) (device.Request, error) {
	if err := d.check(src, tag, true); err != nil {
		return 0, err
	}
	d.world.Lock()
	defer d.world.Unlock()
	o := &operation{buf: buf, peer: src, tag: tag, context: context, receive: true}
	d.world.post(d.rank, o, d.fault)
	return d.add(o), nil
}

func (d *Device) add(o *operation) device.Request {
	slot := slices.Index(d.open, nil)
	if slot < 0 {
		slot = len(d.open)
		d.open, d.age = append(d.open, nil), append(d.age, 0)
	}
	d.open[slot] = o
	return device.Request(uint64(d.age[slot])<<32 | uint64(slot+1))
}

// get returns the operation of a live handle.
func (d *Device) get(q device.Request) (slot int, o *operation, err error) {
	if d.shut() {
		return 0, nil, device.ErrClosed
	}
	slot = int(uint32(q)) - 1
	if slot < 0 || slot >= len(d.open) || d.open[slot] == nil || d.age[slot] != uint32(q>>32) {
		return 0, nil, device.ErrRequest
	}
	return slot, d.open[slot], nil
}

func (d *Device) Test(q device.Request) (device.Status, bool, error) {
	slot, o, err := d.get(q)
	if err != nil {
		return device.Status{}, true, err
	}
	d.world.Lock()
	defer d.world.Unlock()
	if o.late != nil && o.done == 0 {
		d.world.transfer(o, o.late, d.fault)
	}
	if err := d.interrupted(); err != nil && o.done == 0 {
		d.world.withdraw(d.rank, o)
		d.world.complete(o, err)
	}
	if d.fault == LateAnswers && !o.receive && o.done != 0 && !d.world.answered(o) {
		return device.Status{}, false, nil
	}
	if o.done == 0 || d.fault == Greedy && d.world.othersWait(d.rank, o) {
		return device.Status{}, false, nil
	}
	d.open[slot] = nil
	if d.fault != StaleHandles {
		d.age[slot]++
	}
	return o.status, true, o.err
}

// yields counts how often a rank gave way in a wait.
type yields int

// another gives way once more. After many times it sleeps, because a rank may wait for what a fault
// has taken away until its time limit.
func (n *yields) another() {
	if *n++; *n < 20_000 {
		runtime.Gosched()
	} else {
		time.Sleep(100 * time.Microsecond)
	}
}

func (d *Device) Wait(q device.Request) (device.Status, error) {
	for n := yields(0); ; n.another() {
		if st, done, err := d.Test(q); done {
			return st, err
		}
	}
}

func (d *Device) finish(q device.Request, err error) (device.Status, error) {
	if err != nil {
		return device.Status{}, err
	}
	return d.Wait(q)
}

func (d *Device) Send(buf []byte, dst int, tag, context int32) error {
	_, err := d.finish(d.Isend(buf, dst, tag, context))
	return err
}

func (d *Device) Ssend(buf []byte, dst int, tag, context int32) error {
	_, err := d.finish(d.Issend(buf, dst, tag, context))
	return err
}

func (d *Device) Recv(buf []byte, src int, tag, context int32) (device.Status, error) {
	return d.finish(d.Irecv(buf, src, tag, context))
}

func (d *Device) Info() device.Info {
	if d.fault == NoInfo {
		return device.Info{}
	}
	return device.Info{Transport: "naive", Ranks: "goroutine", Path: func(int, device.Traffic) string { return "copy" }}
}

func (d *Device) Close() error {
	if d.closed {
		return device.ErrClosed
	}
	d.closed = true
	d.world.Lock()
	defer d.world.Unlock()
	d.world.lose(d.rank, "it has closed its device", false, d.fault)
	if d.fault == Leaky {
		go func() { select {} }()
	}
	return nil
}

// Kill makes the rank look dead to the others.
func (d *Device) Kill() {
	d.world.Lock()
	defer d.world.Unlock()
	d.world.lose(d.rank, "it was killed", true, d.fault)
}
