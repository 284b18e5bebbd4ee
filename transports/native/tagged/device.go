//go:build cgo && (ucx || ofi || mxm)

package tagged

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"gobench/device"
)

var errMemory = errors.New("there is no memory for the requests of the library")

// A Config describes an open library to New.
type Config struct {
	Ops        unsafe.Pointer // its struct tagged_ops
	TagBits    int            // bits of its tags
	Rank, Size int
	Crowded    bool // ranks outnumber processors: waiting yields the processor
	// Synchronous: the library completes a send with matched set only when it is matched, and
	// matches receives without a mask faster.
	Synchronous bool
	Loop        bool        // the ping-pong of level raw is a loop in C
	Peers       Peers       // its processes
	Info        device.Info // for the record

	// Started is called before the first request, with the argument of tagged_failed.
	Started func(core unsafe.Pointer)
	// Sleep, if not nil, waits for an event of the library for at most the given time.
	Sleep func(milliseconds int)
	// Sever, if not nil, abandons a peer that has died.
	Sever func(peer int)
	// Echo, if not nil, sends a message of this rank to itself, by the way of those of other
	// processes, unless one is under way, and reports whether it has arrived. A process that is
	// killed may block that way.
	Echo func(tag uint64) bool
	// Memory allocates for Device.Alloc.
	Memory *Memory
	// Remote holds the calls for memory of peers.
	Remote Remote
	// Close finalises the library and frees Memory. No request with a live peer is outstanding.
	Close func()
}

// Waiting returns Config.Crowded, and the value of option wait for the record.
func Waiting(job device.Job, wait string) (crowded bool, word string) {
	switch {
	case wait == "yield" || wait == "auto" && job.LocalSize() > device.Processors(job):
		return true, "yield"
	case wait == "auto":
		return false, "spin"
	}
	return false, wait
}

// state of a peer.
type state uint8

const (
	alive  state = iota
	closed       // it has said goodbye
	failed
)

type peer struct {
	state state
	err   error // a *device.PeerError, once it is not alive; a *device.InterruptedError after Interrupt
}

// Device is a device.Device over a library that matches tags.
type Device struct {
	Config
	layout   layout
	core     *core
	requests []request // by number
	peers    []peer
	watch    Peers
	closed   bool
	lost     []int // numbers of live requests that are lost
	anyErr   error // of receives from any source, once a peer has failed or all others have closed
	calls    uint32
	looked   time.Time
	echo     echo
	regions  []*region // open

	interrupt atomic.Pointer[error] // the argument of Interrupt, from another goroutine; nil until then
	stopped   error                 // *device.InterruptedError, once this rank has seen it
}

var _ device.Device = (*Device)(nil)

// New returns the device of an open library. It owns the library even if it returns an error.
func New(c Config) (*Device, error) {
	l, err := newLayout(c.Size, c.TagBits, c.Synchronous)
	var k *core
	if err == nil {
		k, err = newCore(c.Ops, c.Rank, c.Size, l)
	}
	if err != nil {
		c.Close()
		c.Peers.Close()
		return nil, err
	}
	c.Started(k.library())
	d := &Device{Config: c, layout: l, core: k, peers: make([]peer, c.Size), watch: c.Peers, looked: time.Now()}
	if e := k.start(); e < 0 {
		err := d.fault("receiving messages of control", e)
		d.end()
		return nil, err
	}
	return d, nil
}

func (d *Device) Rank() int         { return d.Config.Rank }
func (d *Device) Size() int         { return d.Config.Size }
func (d *Device) Info() device.Info { return d.Config.Info }

// A CallError is a call of the library that has failed.
type CallError struct {
	Call string
	Text string // of the library
}

func (e *CallError) Error() string { return e.Call + ": " + e.Text }

func (d *Device) fault(call string, e int) error { return &CallError{call, d.core.explain(e)} }

// canSend reports whether a send can begin, and canReceive whether the arguments of a receive or
// probe are right.
func (d *Device) canSend(dst int, tag, context int32) bool {
	return uint(dst) < uint(len(d.peers)) && tag >= 0 && d.layout.fits(context) && !d.closed && d.peers[dst].err == nil
}

func (d *Device) canReceive(src int, tag, context int32) bool {
	return uint(src+1) <= uint(len(d.peers)) && tag >= device.AnyTag && d.layout.fits(context) && !d.closed
}

// sendError returns why a send cannot begin: its arguments, or its peer.
func (d *Device) sendError(dst int, tag, context int32) error {
	switch {
	case d.closed || tag < 0 || !d.layout.fits(context):
		return d.argumentError(tag, context)
	case uint(dst) >= uint(d.Size()):
		return &device.ArgumentError{Name: "destination", Value: dst, Want: fmt.Sprintf("0..%d", d.Size()-1)}
	}
	return d.peers[dst].err
}

func (d *Device) receiveError(src int, tag, context int32) error {
	if !d.closed && uint(src+1) > uint(d.Size()) {
		return &device.ArgumentError{Name: "source", Value: src, Want: fmt.Sprintf("0..%d or AnySource", d.Size()-1)}
	}
	return d.argumentError(tag, context)
}

func (d *Device) argumentError(tag, context int32) error {
	switch {
	case d.closed:
		return device.ErrClosed
	case !d.layout.fits(context):
		return d.layout.contextError(context)
	}
	return &device.ArgumentError{Name: "tag", Value: int(tag), Want: "a tag of 0 or more"}
}

// unmatched returns the error of a receive from src that nothing has matched yet.
func (d *Device) unmatched(src int) error {
	if src == device.AnySource {
		return d.anyErr
	}
	return d.peers[src].err
}

// setSend passes the arguments of a send to the core, or reports that it cannot begin (sendError).
func (d *Device) setSend(buf []byte, dst int, tag, context int32, sync bool, turns int) bool {
	if !d.canSend(dst, tag, context) {
		return false
	}
	op := d.core.op
	setBuffer(op, buf)
	op.peer, op.sync, op.turns = cInt(dst), 0, cInt(turns)
	if sync {
		op.sync = 1
	}
	op.tag = cWord(d.layout.tag(d.Config.Rank, tag, context))
	return true
}

// peerFault returns the error of a request that the library has rejected or failed, usually because
// the peer has died.
func (d *Device) peerFault(peer, e int) error {
	if e == local {
		return d.fault("message", e)
	}
	if d.look(time.Now(), peer); d.peers[peer].err != nil {
		return d.peers[peer].err
	}
	d.fail(peer, d.core.explain(e))
	return d.peers[peer].err
}

// setReceive passes the arguments of a receive to the core, or returns the error of one that cannot
// begin. Periodic work of an operation is done here, and not after the message has arrived: the
// caller's next operation is often the answer.
func (d *Device) setReceive(buf []byte, src int, tag, context int32, turns int) error {
	if !d.canReceive(src, tag, context) {
		return d.receiveError(src, tag, context)
	}
	d.tick()
	want, mask := d.layout.pattern(src, tag, context)
	if err := d.unmatched(src); err != nil {
		// Messages that have arrived can be received; no more will arrive.
		if _, found := d.probe(want, mask); !found {
			return err
		}
	}
	op := d.core.op
	setBuffer(op, buf)
	op.tag, op.mask, op.turns = cWord(want), cWord(mask), cInt(turns)
	return nil
}

// receiveFault returns the error of a receive that the library has rejected or failed.
func (d *Device) receiveFault(src, e int) error {
	if src == device.AnySource {
		return d.fault("receive", e)
	}
	return d.peerFault(src, e)
}

// status returns the status of a message from the core's op.
func (d *Device) status() device.Status {
	tag := uint64(d.core.op.found)
	return device.Status{Source: d.layout.source(tag), Tag: d.layout.user(tag), Size: int(d.core.op.size)}
}

// result returns the outcome of a receive that is complete, from the core's op.
func (d *Device) result(room int) (device.Status, error) {
	op := d.core.op
	st := d.status()
	switch {
	case op.status == 0:
		return st, nil
	case op.status == truncated:
		return st, &device.TruncationError{Source: st.Source, Tag: st.Tag, Size: st.Size, Room: room}
	case op.status == cancelled:
		return device.Status{Cancelled: true}, nil
	}
	return device.Status{}, d.fault("request", int(op.status))
}

func (d *Device) isend(buf []byte, dst int, tag, context int32, sync bool) (device.Request, error) {
	if !d.setSend(buf, dst, tag, context, sync, 0) {
		return 0, d.sendError(dst, tag, context)
	}
	e := d.core.caller.Call(d.core.send, d.core.handle, d.core.argument)
	if e < 0 {
		return 0, d.peerFault(dst, e)
	}
	number := d.core.number()
	if e == done { // the contract requires a handle
		number = d.core.finished()
	}
	r := d.begun(number, buf, false, dst)
	d.tick()
	return r.handle(number), nil
}

// Isend starts a send.
func (d *Device) Isend(buf []byte, dst int, tag, context int32) (device.Request, error) {
	return d.isend(buf, dst, tag, context, false)
}

// Issend starts a synchronous send.
func (d *Device) Issend(buf []byte, dst int, tag, context int32) (device.Request, error) {
	return d.isend(buf, dst, tag, context, true)
}

// Irecv starts a receive.
func (d *Device) Irecv(buf []byte, src int, tag, context int32) (device.Request, error) {
	err := d.setReceive(buf, src, tag, context, 0)
	if err != nil && !d.canReceive(src, tag, context) {
		return 0, err
	}
	e := done
	if err == nil {
		if e = d.core.caller.Call(d.core.receive, d.core.handle, d.core.argument); e < 0 {
			err = d.receiveFault(src, e)
		}
	}
	number := d.core.number()
	if e != began {
		number = d.core.finished()
	}
	r := d.begun(number, buf, true, src)
	if err != nil {
		d.lose(r, number, err)
	}
	return r.handle(number), nil
}

// Send sends.
func (d *Device) Send(buf []byte, dst int, tag, context int32) error {
	if !d.setSend(buf, dst, tag, context, false, turns) {
		return d.sendError(dst, tag, context)
	}
	e := d.core.caller.Call(d.core.send, d.core.handle, d.core.argument)
	status := int(d.core.op.status)
	switch {
	case e == done && status == 0:
		d.tick()
		runtime.KeepAlive(unsafe.SliceData(buf))
		return nil
	case e == done:
		return d.peerFault(dst, status)
	case e < 0:
		return d.peerFault(dst, e)
	}
	_, err := d.await(d.begun(d.core.number(), buf, false, dst), d.core.number())
	return err
}

// Ssend sends synchronously.
func (d *Device) Ssend(buf []byte, dst int, tag, context int32) error {
	q, err := d.Issend(buf, dst, tag, context)
	if err == nil {
		_, err = d.Wait(q)
	}
	return err
}

// Recv receives.
func (d *Device) Recv(buf []byte, src int, tag, context int32) (device.Status, error) {
	if err := d.setReceive(buf, src, tag, context, turns); err != nil {
		return device.Status{}, err
	}
	e := d.core.caller.Call(d.core.receive, d.core.handle, d.core.argument)
	status := int(d.core.op.status)
	switch {
	case e == done && status == 0:
		runtime.KeepAlive(unsafe.SliceData(buf))
		return d.status(), nil
	case e == done && status > 0:
		return d.result(len(buf))
	case e == done:
		return device.Status{}, d.receiveFault(src, status)
	case e < 0:
		return device.Status{}, d.receiveFault(src, e)
	}
	number := d.core.number()
	return d.await(d.begun(number, buf, true, src), number)
}

// turns is the number of polls of one call in C. With a library over TCP each takes some system
// calls.
const turns = 64

// await waits for a request.
func (d *Device) await(r *request, number int) (device.Status, error) {
	var w wait
	for !r.lost {
		switch d.core.polled(number, turns) {
		case done:
			return d.finish(r)
		case event:
			d.events()
			continue
		}
		d.pause(&w, r.peer)
		r = &d.requests[number]
	}
	return d.takeLost(r, number)
}

// Wait waits for a request.
func (d *Device) Wait(q device.Request) (device.Status, error) {
	r, number, err := d.find(q)
	if err != nil {
		return device.Status{}, err
	}
	return d.await(r, number)
}

// Test tests a request once.
func (d *Device) Test(q device.Request) (device.Status, bool, error) {
	r, number, err := d.find(q)
	if err != nil {
		return device.Status{}, false, err
	}
	if !r.lost {
		switch d.core.polled(number, 1) {
		case done:
			st, err := d.finish(r)
			return st, true, err
		case event:
			d.events()
		}
		d.miss(r.peer)
	}
	if r.lost {
		st, err := d.takeLost(r, number)
		return st, true, err
	}
	return device.Status{}, false, nil
}

func (d *Device) probe(want, mask uint64) (device.Status, bool) {
	d.core.op.tag, d.core.op.mask = cWord(want), cWord(mask)
	if !d.core.probed() {
		return device.Status{}, false
	}
	return d.status(), true
}

// Iprobe looks for a message once.
func (d *Device) Iprobe(src int, tag, context int32) (device.Status, bool, error) {
	if !d.canReceive(src, tag, context) {
		return device.Status{}, false, d.receiveError(src, tag, context)
	}
	want, mask := d.layout.pattern(src, tag, context)
	gone := d.unmatched(src)
	if d.core.polled(noRequest, 1) == event {
		d.events()
	}
	st, found := d.probe(want, mask)
	if !found {
		if gone != nil {
			return st, false, gone
		}
		d.miss(src)
	}
	return st, found, nil
}

// Probe waits for a message.
func (d *Device) Probe(src int, tag, context int32) (device.Status, error) {
	var w wait
	for {
		st, found, err := d.Iprobe(src, tag, context)
		if found || err != nil {
			return st, err
		}
		d.pause(&w, src)
	}
}

// Peek waits for any request.
func (d *Device) Peek() (device.Request, error) {
	if d.closed {
		return 0, device.ErrClosed
	}
	var w wait
	for {
		if len(d.lost) > 0 {
			number := d.lost[0]
			return d.requests[number].handle(number), nil
		}
		if d.core.outstanding() == 0 {
			return 0, device.ErrRequest
		}
		switch d.core.polled(anyRequest, turns) {
		case done:
			number := d.core.number()
			return d.requests[number].handle(number), nil
		case event:
			d.events()
			continue
		}
		d.pause(&w, device.AnySource)
	}
}

// Cancel cancels an unmatched receive. Sends are not cancelled, because the libraries cannot
// withdraw a message.
func (d *Device) Cancel(q device.Request) error {
	r, number, err := d.find(q)
	if err == nil && r.receive && !r.lost {
		d.core.cancel(number)
	}
	return err
}
