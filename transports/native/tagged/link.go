//go:build cgo && (ucx || ofi || mxm)

package tagged

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"unsafe"

	"gobench/device"
	"gobench/transports/native"
)

// Remote holds the library calls by which two ranks access each other's memory.
type Remote struct {
	// Expose makes b accessible to peers. It returns a packed key of at most keyRoom - 16 bytes,
	// for Import at a peer. Conceal releases the handle.
	Expose  func(b []byte) (handle unsafe.Pointer, packed []byte, err error)
	Conceal func(handle unsafe.Pointer)
	// Import makes a peer's memory accessible. Forget releases the key.
	Import func(peer int, packed []byte) (address uint64, key unsafe.Pointer, err error)
	Forget func(key unsafe.Pointer)
	// Offers is device.Linker.Offers.
	Offers func(op device.LinkOperation) error
}

var _ device.Linker = (*raw)(nil)

// Native implements device.Linker: option loop.
func (c *raw) Native() bool { return c.d.Loop }

// Offers implements device.Linker. Each put, get and atomic operation is a call from Go.
func (c *raw) Offers(op device.LinkOperation) error {
	if c.d.Loop {
		return fmt.Errorf("loop=native has the ping-pong alone: %v needs loop=go", op)
	}
	return c.d.Remote.Offers(op)
}

// link is a device.Link.
type link struct {
	d        *Device
	peer     int
	out, in  []byte
	shown    unsafe.Pointer // handle of in
	address  uint64         // of the peer's in
	key      unsafe.Pointer
	putPongs uint64
}

// keyRoom is the length of the message that carries a packed key and two lengths, in bytes.
const keyRoom = 1024

// Link implements device.Linker. The ranks exchange packed keys by messages.
func (c *raw) Link(peer int, out, in []byte) (device.Link, error) {
	if err := c.checkPeer(peer); err != nil {
		return nil, err
	}
	if len(out) == 0 || len(out) != len(in) {
		return nil, &device.ArgumentError{Name: "link", Value: peer, Want: "buffers of one length, not empty"}
	}
	k := &link{d: c.d, peer: peer, out: out, in: in}
	handle, packed, failed := c.d.Remote.Expose(in)
	if failed == nil && len(packed) > keyRoom-16 {
		failed = fmt.Errorf("the key of a buffer has %d bytes, and a message has room for %d", len(packed), keyRoom-16)
	}
	// A rank that cannot take part sends a length of 0, because the other waits for its message.
	own, other := make([]byte, keyRoom), make([]byte, keyRoom)
	if k.shown = handle; failed == nil {
		binary.LittleEndian.PutUint64(own, uint64(len(in)))
		binary.LittleEndian.PutUint64(own[8:], uint64(len(packed)))
		copy(own[16:], packed)
	}
	q, err := c.Isend(own, peer, rawTag, rawContext)
	if err == nil {
		if _, err = c.Recv(other, peer, rawTag, rawContext); err == nil {
			_, err = c.Wait(q)
		}
	}
	size, length := binary.LittleEndian.Uint64(other), binary.LittleEndian.Uint64(other[8:])
	switch {
	case failed != nil || err != nil:
	case size == 0:
		err = &device.PeerError{Rank: peer, Cause: "it could not register its buffer"}
	case size != uint64(len(out)) || length > keyRoom-16:
		err = &device.PeerError{Rank: peer, Cause: fmt.Sprintf("it has a buffer of %d bytes for one of %d", size, len(out))}
	}
	if failed == nil && err == nil {
		k.address, k.key, err = c.d.Remote.Import(peer, other[16:16+length])
	}
	if failed != nil {
		err = failed
	}
	if err != nil {
		k.Close()
		return nil, fmt.Errorf("linking memory with rank %d: %w", peer, err)
	}
	return k, nil
}

// post starts one operation on b, and waits for room if there is none. With settled it also waits
// for the completion of all operations of the link.
func (k *link) post(kind int, b []byte, operand uint64, settled bool) error {
	d := k.d
	d.core.buffer(b)
	op := d.core.op
	for w := (wait{}); ; d.pause(&w, k.peer) {
		op.peer, op.sync = cInt(k.peer), cInt(kind)
		op.found, op.mask, op.tag = cWord(k.address), cWord(uint64(uintptr(k.key))), cWord(operand)
		e := d.core.started(d.core.access, turns)
		if e < 0 {
			return d.peerFault(k.peer, e)
		}
		if e != busy {
			break
		}
		if err := k.turn(); err != nil {
			return err
		}
	}
	d.tick()
	if settled {
		return k.settle()
	}
	return nil
}

// turn makes progress once, and returns the error of a failed peer.
func (k *link) turn() error {
	if k.d.core.polled(noRequest, 1) == event {
		k.d.events()
	}
	return k.d.peers[k.peer].err
}

// settle waits for the end of all operations.
func (k *link) settle() error {
	err := k.until(k.d.core.settle)
	if e := int(k.d.core.op.status); err == nil && e != 0 {
		return k.d.peerFault(k.peer, e)
	}
	return err
}

// until repeats an operation of the core until it is done.
func (k *link) until(operation unsafe.Pointer) error {
	d := k.d
	for w := (wait{}); ; d.pause(&w, k.peer) {
		switch d.core.started(operation, turns) {
		case done:
			return nil
		case event:
			d.events()
		}
		if err := d.peers[k.peer].err; err != nil {
			return err
		}
	}
}

// begin returns the error of a link that cannot be used.
func (k *link) begin() error {
	if k.d.closed {
		return device.ErrClosed
	}
	return k.d.peers[k.peer].err
}

// rounds runs rounds of operations of one kind, and calls end after each round.
func (k *link) rounds(rounds, each int, stamps *device.Stamps, post func(i int) error, end func() error) error {
	if err := k.begin(); err != nil {
		return err
	}
	defer runtime.KeepAlive(k)
	for range rounds {
		for i := range each {
			if err := post(i); err != nil {
				return err
			}
		}
		if err := end(); err != nil {
			return err
		}
		stamps.Round()
	}
	return nil
}

func (k *link) inPlace() error { return k.post(accessFlush, nil, 0, true) }

func (k *link) Put(rounds, each int, stamps *device.Stamps) error {
	return k.rounds(rounds, each, stamps, func(int) error { return k.post(accessPut, k.out, 0, false) }, k.inPlace)
}

func (k *link) Get(rounds, each int, stamps *device.Stamps) error {
	return k.rounds(rounds, each, stamps, func(int) error { return k.post(accessGet, k.out, 0, false) }, k.settle)
}

func (k *link) FetchAdd(rounds, each int, stamps *device.Stamps) error {
	return k.rounds(rounds, each, stamps, func(int) error { return k.post(accessAdd, k.out, 1, false) }, k.settle)
}

// CompareSwap does one swap after the other, because each expects the value of the one before.
func (k *link) CompareSwap(rounds, each int, from uint64, stamps *device.Stamps) error {
	return k.rounds(rounds, each, stamps, func(int) error {
		from++
		return k.post(accessSwap, k.out, from-1, true)
	}, func() error { return nil })
}

func (k *link) PutPong(rounds int, first bool, stamps *device.Stamps) error {
	if err := k.begin(); err != nil {
		return err
	}
	last := len(k.out) - 1
	for half, sending := 0, first; half < 2*rounds; half, sending = half+1, !sending {
		number := byte(k.putPongs + uint64(half/2) + 1)
		var err error
		if sending {
			k.out[last] = number
			err = k.post(accessPut, k.out, 0, true)
		} else {
			err = k.watch(k.in[last:], number)
		}
		if err != nil {
			return err
		}
		if half%2 == 1 {
			stamps.Round()
		}
	}
	k.putPongs += uint64(rounds)
	return nil
}

// watch waits until a put of the peer has written a value to a byte.
func (k *link) watch(b []byte, value byte) error {
	k.d.core.buffer(b)
	k.d.core.op.tag = cWord(uint64(value))
	return k.until(k.d.core.watch)
}

// Close implements device.Link.
func (k *link) Close() {
	if k.d.closed {
		return
	}
	if k.key != nil {
		k.d.Remote.Forget(k.key)
	}
	if k.shown != nil {
		k.d.Remote.Conceal(k.shown)
	}
	k.key, k.shown = nil, nil
}

// raw is the level raw, with the puts, gets and loops of the library.
type raw struct {
	native.Raw
	d *Device
}

// NewRaw returns the channel of level raw over an open library. It owns the library even if it
// returns an error.
func NewRaw(c Config) (device.Channel, error) {
	d, err := New(c)
	if err != nil {
		return nil, err
	}
	return &raw{native.NewRaw(d), d}, nil
}

// checkPeer returns an error unless the open channel has this peer.
func (c *raw) checkPeer(peer int) error {
	if c.d.closed {
		return device.ErrClosed
	}
	return c.Check("peer", peer, rawTag)
}

const rawTag, rawContext = native.RawTag, native.RawContext
