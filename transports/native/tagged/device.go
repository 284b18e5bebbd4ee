//go:build cgo && (ucx || ofi || mxm)

package tagged

import (
	"errors"
	"fmt"
	"runtime"
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
	Crowded    bool // ranks outnumber processors: waiting gives the processor up
	// Synchronous: the library ends a send with matched set once it is matched, and finds receives without
	// a mask faster.
	Synchronous bool
	Loop        bool        // the ping-pong of level raw is a loop in C
	Peers       Peers       // its processes
	Info        device.Info // for the record

	// Started is called before the first request, with what tagged_failed takes.
	Started func(core unsafe.Pointer)
	// Sleep, if not nil, waits for an event of the library for at most the given time.
	Sleep func(milliseconds int)
	// Sever, if not nil, abandons a peer that has died.
	Sever func(peer int)
	// Memory allocates for Device.Alloc.
	Memory *Memory
	// Remote has what level raw needs to put and get.
	Remote Remote
	// Close ends the library, and frees Memory. No request is under way with living peers.
	Close func()
}

// Waiting returns Crowded of Config, and the record's word for the option wait.
func Waiting(job device.Job, wait string) (crowded bool, word string) {
	switch {
	case wait == "yield" || wait == "auto" && job.LocalSize() > runtime.NumCPU():
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
	err   error // a *device.PeerError, once it is not alive
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
}

var _ device.Device = (*Device)(nil)

// New returns the device of an open library, which it closes in any case.
func New(c Config) (*Device, error) {
	l, err := newLayout(c.Size, c.TagBits, c.Synchronous)
	if err != nil {
		c.Close()
		return nil, err
	}
	k, err := newCore(c.Ops, c.Rank, c.Size, l)
	if err != nil {
		c.Close()
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

// canSend reports whether a send can begin, and canReceive whether the arguments of a receive or probe are right.
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

// start begins a send by one of the core's functions. ended reports that it is complete.
func (d *Device) start(fn unsafe.Pointer, buf []byte, dst int, tag, context int32, sync bool) (number int, ended bool, err error) {
	if !d.canSend(dst, tag, context) {
		return 0, false, d.sendError(dst, tag, context)
	}
	d.core.buffer(buf)
	op := d.core.op
	op.peer, op.sync = cInt(dst), 0
	if sync {
		op.sync = 1
	}
	op.tag = cWord(d.layout.tag(d.Config.Rank, tag, context))
	e := d.core.started(fn)
	runtime.KeepAlive(buf)
	d.tick()
	if e == done && op.status < 0 {
		e = int(op.status)
	}
	if e < 0 {
		return 0, false, d.peerFault(dst, e)
	}
	return d.core.number(), e == done, nil
}

// peerFault returns the error of a request that the library has refused or ended by an error: most
// often the peer is gone.
func (d *Device) peerFault(peer, e int) error {
	if d.look(time.Now()); d.peers[peer].err != nil {
		return d.peers[peer].err
	}
	d.fail(peer, d.core.explain(e))
	return d.peers[peer].err
}

// receive begins a receive, likewise. The result of one that is complete is in the core's op.
func (d *Device) receive(fn unsafe.Pointer, buf []byte, src int, tag, context int32) (number int, ended bool, err error) {
	if !d.canReceive(src, tag, context) {
		return 0, false, d.receiveError(src, tag, context)
	}
	want, mask := d.layout.pattern(src, tag, context)
	if err := d.unmatched(src); err != nil {
		// Messages that have arrived can be received. None comes any more.
		if _, found := d.probe(want, mask); !found {
			return 0, false, err
		}
	}
	d.core.buffer(buf)
	d.core.op.tag, d.core.op.mask = cWord(want), cWord(mask)
	e := d.core.started(fn)
	runtime.KeepAlive(buf)
	d.tick()
	if e == done && d.core.op.status < 0 {
		e = int(d.core.op.status)
	}
	switch {
	case e < 0 && src == device.AnySource:
		return 0, false, d.fault("receive", e)
	case e < 0:
		return 0, false, d.peerFault(src, e)
	}
	return d.core.number(), e == done, nil
}

// result returns the outcome of a receive that is complete, from the core's op.
func (d *Device) result(room int) (device.Status, error) {
	op := d.core.op
	tag := uint64(op.found)
	st := device.Status{Source: d.layout.source(tag), Tag: d.layout.user(tag), Size: int(op.size)}
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
	number, ended, err := d.start(d.core.send, buf, dst, tag, context, sync)
	if err != nil {
		return 0, err
	}
	if ended { // the contract wants a handle
		number = d.core.finished()
	}
	return d.begun(number, buf, false, dst).handle(number), nil
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
	number, ended, err := d.receive(d.core.receive, buf, src, tag, context)
	if err != nil {
		if !d.canReceive(src, tag, context) {
			return 0, err
		}
		number = d.core.finished()
		r := d.begun(number, buf, true, src)
		d.lose(r, number, err)
		return r.handle(number), nil
	}
	if ended {
		number = d.core.finished()
	}
	return d.begun(number, buf, true, src).handle(number), nil
}

// sent waits for a send that has begun.
func (d *Device) sent(number int, buf []byte, dst int) error {
	_, err := d.await(d.begun(number, buf, false, dst), number)
	return err
}

// Send sends.
func (d *Device) Send(buf []byte, dst int, tag, context int32) error {
	number, ended, err := d.start(d.core.sendWait, buf, dst, tag, context, false)
	if ended || err != nil {
		return err
	}
	return d.sent(number, buf, dst)
}

// Ssend sends synchronously.
func (d *Device) Ssend(buf []byte, dst int, tag, context int32) error {
	number, ended, err := d.start(d.core.sendWait, buf, dst, tag, context, true)
	if ended || err != nil {
		return err
	}
	return d.sent(number, buf, dst)
}

// Recv receives.
func (d *Device) Recv(buf []byte, src int, tag, context int32) (device.Status, error) {
	number, ended, err := d.receive(d.core.receiveWait, buf, src, tag, context)
	if err != nil {
		return device.Status{}, err
	}
	if ended {
		return d.result(len(buf))
	}
	return d.await(d.begun(number, buf, true, src), number)
}

// turns of one poll in C. A turn of a library over TCP is some system calls.
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
		d.pause(&w)
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
		d.miss()
	}
	if r.lost {
		st, err := d.takeLost(r, number)
		return st, true, err
	}
	return device.Status{}, false, nil
}

// finish releases a request that the library has completed, and returns its outcome.
func (d *Device) finish(r *request) (device.Status, error) {
	buf := r.buf
	r.buf, r.live = nil, false
	if status := d.core.op.status; status == cancelled && r.err != nil || status < 0 {
		if r.err == nil && r.peer >= 0 {
			r.err = d.peerFault(r.peer, int(status))
		}
		if r.err != nil {
			return device.Status{}, r.err
		}
	}
	if !r.receive {
		return device.Status{}, nil
	}
	return d.result(len(buf))
}

// takeLost releases a request whose peer is gone. The library may still have the buffer, which is
// kept until the number is used again.
func (d *Device) takeLost(r *request, number int) (device.Status, error) {
	r.live = false
	d.core.abandon(number)
	for i, n := range d.lost {
		if n == number {
			d.lost = append(d.lost[:i], d.lost[i+1:]...)
			break
		}
	}
	return device.Status{}, r.err
}

func (d *Device) probe(want, mask uint64) (device.Status, bool) {
	d.core.op.tag, d.core.op.mask = cWord(want), cWord(mask)
	if !d.core.probed() {
		return device.Status{}, false
	}
	tag := uint64(d.core.op.found)
	return device.Status{Source: d.layout.source(tag), Tag: d.layout.user(tag), Size: int(d.core.op.size)}, true
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
		d.miss()
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
		d.pause(&w)
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
		d.pause(&w)
	}
}

// Cancel cancels a receive that nothing has matched. Sends are not cancelled: libraries cannot take a
// message back.
func (d *Device) Cancel(q device.Request) error {
	r, number, err := d.find(q)
	if err == nil && r.receive && !r.lost {
		d.core.cancel(number)
	}
	return err
}

// Alloc returns memory that the library may have mapped.
func (d *Device) Alloc(n int) ([]byte, error) {
	if d.closed {
		return nil, device.ErrClosed
	}
	return d.Memory.Alloc(n)
}

// Free gives memory of Alloc back.
func (d *Device) Free(b []byte) error {
	if d.closed {
		return device.ErrClosed
	}
	d.Memory.Free(b)
	return nil
}
