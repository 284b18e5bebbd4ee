package protocol

import (
	"unsafe"

	"gobench/device"
)

// Device is a device.Device over a Wire. A transport may embed it to add
// abilities of its own.
//
// Life of a message: a send goes eagerly if it is small and the peer's account
// has room, else as a rendezvous (RTS). At the receiver it meets a posted
// receive or becomes an unexpected message. The files follow that life: send,
// receive, rendezvous; match, flow and pool are what they stand on, core what
// they share with Raw.
type Device struct {
	core
	rma        RMA      // nil if the wire has none
	notifier   Notifier // nil if transfers end by packets
	chooser    Chooser  // nil if the size alone decides, or the option rndv
	posted     posted
	unexpected unexpected

	bound  map[int32][]int             // ranks, by context
	broken map[int32]*device.PeerError // by context; nil as long as there is none
}

var (
	_ device.Device = (*Device)(nil)
	_ device.Binder = (*Device)(nil)
)

// New makes a device of a wire and owns the wire from then on. It is
// collective only in so far as opening the wire was.
func New(w Wire, c Config) (*Device, error) {
	k, err := newCore(w, c)
	if err != nil {
		return nil, err
	}
	d := &Device{core: k}
	d.sink, d.more, d.launcher, d.parted = d, d.pushWaiting, d.launch, d.part
	d.rma, _ = w.(RMA)
	if n, ok := w.(Notifier); ok && n.Notifies() {
		d.notifier = n
	}
	if d.rndv == "auto" {
		d.chooser, _ = w.(Chooser)
	}
	d.posted.source = make([]list, c.Size)
	d.unexpected.source = make([]messages, c.Size)
	return d, nil
}

// Alloc takes memory from the wire, or from the heap where the wire offers none.
func (d *Device) Alloc(n int) ([]byte, error) {
	if d.closed {
		return nil, device.ErrClosed
	}
	if n < 0 {
		return nil, &device.ArgumentError{Name: "size", Value: n, Want: "0 or more"}
	}
	if a, ok := d.wire.(Allocator); ok {
		return a.Alloc(n)
	}
	const page = 4096
	b := make([]byte, n+page)
	skip := -int(uintptr(unsafe.Pointer(&b[0]))) & (page - 1)
	return b[skip : skip+n : skip+n], nil
}

// Free gives back what Alloc returned.
func (d *Device) Free(b []byte) error {
	if d.closed {
		return device.ErrClosed
	}
	if a, ok := d.wire.(Allocator); ok {
		return a.Free(b)
	}
	return nil
}
