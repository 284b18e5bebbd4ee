package protocol

import (
	"unsafe"

	"gobench/device"
)

// A Device is a device.Device over a Wire, or over several. A transport may embed it to add
// optional interfaces.
//
// A message is sent eagerly if it is small and the peer's flow control has room, else by rendezvous
// (RTS). At the receiver it matches a posted receive or becomes an unexpected message. The files
// follow this order: send, receive, rendezvous. They use match, flow and core; Raw uses core, too.
//
// The life of a message, by its packets (packet.go):
//
//	eager       eager, fragment...      complete here when the last is pushed, there when it arrived
//	long eager  one packet of a Lander  the same, copied once, from buffer to receive
//	get         RTS ->, <- FIN          the receiver reads
//	put         RTS ->, <- CTS, FIN ->  the sender writes
//	split       RTS ->, <- CTS, FINs    both
//	pipeline    RTS ->, <- CTS, data -> the sender pushes
//	synchronous always by RTS: its first answer shows that it was matched
//	to itself   no packet: the receive copies from the send, or from the pool
//
// A goodbye ends the packets of a peer, but answers to it may follow. All requests of a Device are
// in its table, in one of the lists posted, sends, bulk and done, or in none while they wait for
// packets or the wire only.
type Device struct {
	core
	posted     posted
	unexpected unexpected

	bound   map[int32][]int // ranks, by context
	senders map[int32][]int // ranks, by context that only these send in
	broken  map[int32]error // by context; nil as long as there is none
}

var (
	_ device.Device    = (*Device)(nil)
	_ device.Confiner  = (*Device)(nil)
	_ device.WaitMeter = (*Device)(nil)
)

// New returns a device over w and the parts of c. It takes ownership of these wires even if it
// returns an error. It is local: opening the wires was the collective step.
func New(w Wire, c Config) (*Device, error) {
	k, err := newCore(w, c)
	if err != nil {
		return nil, err
	}
	d := &Device{core: k}
	d.sink, d.more, d.launcher, d.onClosed = d, d.pushWaiting, d.launch, d.closePeer
	d.onFailed = func(p *peer) { d.fail(p, "interrupted") }
	d.posted.source = make([]list, c.Size)
	d.unexpected.source = make([]messages, c.Size)
	return d, nil
}

// Open returns a device over the wire that WireOpener.OpenWire returned, or err if that is not nil.
func Open(w Wire, c Config, err error) (device.Device, error) {
	if err != nil {
		return nil, err
	}
	d, err := New(w, c)
	if err != nil {
		return nil, err
	}
	return d, nil
}

// allocator returns the first wire that is an Allocator, nil if there is none.
func (d *Device) allocator() Allocator {
	for _, k := range d.carriers {
		if a, ok := k.wire.(Allocator); ok {
			return a
		}
	}
	return nil
}

// Alloc returns memory of the first wire that is an Allocator, or of the heap if none is
// (device.Device).
func (d *Device) Alloc(n int) ([]byte, error) {
	if d.closed {
		return nil, device.ErrClosed
	}
	if n < 0 {
		return nil, &device.ArgumentError{Name: "size", Value: n, Want: "0 or more"}
	}
	if a := d.allocator(); a != nil {
		return a.Alloc(n)
	}
	const page = 4096
	b := make([]byte, n+page)
	skip := -int(uintptr(unsafe.Pointer(&b[0]))) & (page - 1)
	return b[skip : skip+n : skip+n], nil
}

// Free frees memory that Alloc returned (device.Device).
func (d *Device) Free(b []byte) error {
	if d.closed {
		return device.ErrClosed
	}
	if a := d.allocator(); a != nil {
		return a.Free(b)
	}
	return nil
}

// pushWaiting pushes a peer's queued sends and transfers.
func (d *Device) pushWaiting(p *peer) (some, all bool) {
	some, all = d.pushSends(p)
	if !all && p.flow.announced < d.announced {
		return some, false // there is no room
	}
	for p.bulk.head != nil {
		r := p.bulk.head
		before := r.part.moved
		p.bulk.remove(r)
		if !d.advance(p, r) {
			p.bulk.pushFront(r)
			return some || r.part.moved != before, false
		}
		some = true
	}
	return some, all && p.control.empty()
}

// Progress must be called after unsuccessful polls of shared memory. It is the part of
// device.Sharer that every Device implements.
func (d *Device) Progress(w *device.WaitState, context int32, peer int) error {
	if d.closed {
		return device.ErrClosed
	}
	if w.Polls == 0 {
		d.meter.begin()
	}
	d.step(&d.withoutEvents, w, device.AnySource, peer)
	if peer >= 0 {
		d.meter.count(peer) // with w.Polls > 0 also the caller's polls of memory between two calls
	}
	if d.stopped != nil {
		return d.stopped
	}
	if err := d.breach(context); err != nil {
		return err
	}
	if peer >= 0 && d.peers[peer].err != nil {
		return d.peers[peer].err
	}
	return nil
}

// Crowded reports whether waiting ranks yield the processor rather than spin, because ranks
// outnumber processors.
func (d *Device) Crowded() bool { return d.policy.crowded }

// An Exporter is a Wire whose ranks can map each other's memory. The methods are described
// at device.Sharer.
type Exporter interface {
	Export(mem []byte) (name []byte, err error)
	Import(peer int, name []byte) ([]byte, error)
	Post(dst, src []byte)
	Fetch(dst, src []byte)
	Gap() int
}

// A Sharing is a Device that implements device.Sharer by means of a wire that is an Exporter.
type Sharing struct {
	*Device
	exporter Exporter
}

var _ device.Sharer = Sharing{}

// Share returns the device of a wire that is an Exporter. A transport embeds it in place of the
// Device.
func Share(d *Device, wire Exporter) Sharing { return Sharing{d, wire} }

// Export names memory that Alloc returned (device.Sharer).
func (s Sharing) Export(mem []byte) ([]byte, error) {
	if s.closed {
		return nil, device.ErrClosed
	}
	return s.exporter.Export(mem)
}

// Import maps memory that a peer exported (device.Sharer).
func (s Sharing) Import(peer int, name []byte) ([]byte, error) {
	switch {
	case s.closed:
		return nil, device.ErrClosed
	case uint(peer) >= uint(s.size):
		return nil, &device.ArgumentError{Name: "peer", Value: peer, Want: s.ranks()}
	case s.peers[peer].err != nil:
		return nil, s.peers[peer].err
	}
	return s.exporter.Import(peer, name)
}

// Post copies to shared memory (device.Sharer).
func (s Sharing) Post(dst, src []byte) { s.exporter.Post(dst, src) }

// Fetch copies from shared memory (device.Sharer).
func (s Sharing) Fetch(dst, src []byte) { s.exporter.Fetch(dst, src) }

// Gap returns the gap between posted blocks (device.Sharer).
func (s Sharing) Gap() int { return s.exporter.Gap() }
