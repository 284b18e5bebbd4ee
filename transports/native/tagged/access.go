//go:build cgo && (ucx || ofi || mxm)

package tagged

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"

	"gobench/device"
)

// A target is memory of a peer.
type target struct {
	d       *Device
	peer    int
	address uint64
	key     unsafe.Pointer
}

// keyRoom is the length of the message that carries a packed key and two lengths, in bytes.
const keyRoom = 1024

// keyMessage returns a message with the key of n bytes for reach. A rank that could not make them
// accessible takes part with a message of zeros, because the peers wait for it.
func keyMessage(n int, packed []byte, failed error) ([]byte, error) {
	message := make([]byte, keyRoom)
	if failed == nil && len(packed) > keyRoom-16 {
		failed = fmt.Errorf("the key of a buffer has %d bytes, and a message has room for %d", len(packed), keyRoom-16)
	}
	if failed == nil {
		binary.LittleEndian.PutUint64(message, uint64(n))
		binary.LittleEndian.PutUint64(message[8:], uint64(len(packed)))
		copy(message[16:], packed)
	}
	return message, failed
}

// keyedBytes returns the number of bytes that the key of a message is for, 0 without a key.
func keyedBytes(message []byte) uint64 { return binary.LittleEndian.Uint64(message) }

// reach imports the key of a message. The peer's memory must have the given length,
// unless that is negative.
func (d *Device) reach(peer int, message []byte, want int) (t target, err error) {
	if err := d.peers[peer].err; err != nil {
		return t, err
	}
	size, length := keyedBytes(message), binary.LittleEndian.Uint64(message[8:])
	switch {
	case size == 0:
		return t, &device.PeerError{Rank: peer, Cause: "it could not register its buffer"}
	case want >= 0 && size != uint64(want) || length > keyRoom-16:
		return t, &device.PeerError{Rank: peer, Cause: fmt.Sprintf("it has a buffer of %d bytes for one of %d", size, want)}
	}
	t = target{d: d, peer: peer}
	t.address, t.key, err = d.Remote.Import(peer, message[16:16+length])
	return t, err
}

// post starts one operation on b and the memory at an offset, and waits for room if there is none.
func (t *target) post(kind int, b []byte, offset int, operand uint64) error {
	d := t.d
	d.core.buffer(b)
	op := d.core.op
	for w := (wait{}); ; d.pause(&w, t.peer) {
		op.peer, op.sync = cInt(t.peer), cInt(kind)
		op.found, op.mask, op.tag = cWord(t.address+uint64(offset)), cWord(uint64(uintptr(t.key))), cWord(operand)
		e := d.core.started(d.core.access, turns)
		if e == local {
			return fmt.Errorf("registering %d bytes of this rank: %w (raise the limit of locked memory: ulimit -l)", len(b), errors.ErrUnsupported)
		}
		if e < 0 {
			return d.peerFault(t.peer, e)
		}
		if e != busy {
			break
		}
		if err := t.turn(); err != nil {
			return err
		}
	}
	d.tick()
	return nil
}

// turn makes progress once, and returns the error of a failed peer.
func (t *target) turn() error {
	if t.d.core.polled(noRequest, 1) == event {
		t.d.events()
	}
	return t.d.peers[t.peer].err
}

// settle waits for the end of all operations on memory of the peer.
func (t *target) settle() error {
	err := t.until(t.d.core.settle)
	if e := int(t.d.core.op.status); err == nil && e != 0 {
		return t.d.peerFault(t.peer, e)
	}
	return err
}

// until repeats an operation of the core, with the peer, until it is done.
func (t *target) until(operation unsafe.Pointer) error {
	d := t.d
	for w := (wait{}); ; d.pause(&w, t.peer) {
		d.core.op.peer = cInt(t.peer)
		switch d.core.started(operation, turns) {
		case done:
			return nil
		case event:
			d.events()
		}
		if err := d.peers[t.peer].err; err != nil {
			return err
		}
	}
}

// inPlace waits until all puts are in place.
func (t *target) inPlace() error {
	if err := t.post(accessFlush, nil, 0, 0); err != nil {
		return err
	}
	return t.settle()
}

// begin returns the error of memory that cannot be accessed.
func (t *target) begin() error {
	if t.d.closed {
		return device.ErrClosed
	}
	return t.d.peers[t.peer].err
}
