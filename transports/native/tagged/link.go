//go:build cgo && (ucx || ofi || mxm)

package tagged

import (
	"cmp"
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
	// Alloc is Expose for n new bytes, zeroed, which Conceal frees.
	Alloc func(n int) (b []byte, handle unsafe.Pointer, packed []byte, err error)
	// Alone reports whether a peer's memory is accessed without a call of that rank: else messages
	// take less time, because they wake a rank that waits. If it is nil there are no regions.
	Alone func(peer int) bool
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
	target   // the peer's in
	out, in  []byte
	shown    unsafe.Pointer // handle of in
	putPongs uint64
}

// Link implements device.Linker. The ranks exchange packed keys by messages.
func (c *raw) Link(peer int, out, in []byte) (device.Link, error) {
	if err := c.checkPeer(peer); err != nil {
		return nil, err
	}
	if len(out) == 0 || len(out) != len(in) {
		return nil, &device.ArgumentError{Name: "link", Value: peer, Want: "buffers of one length, not empty"}
	}
	k := &link{out: out, in: in}
	handle, packed, err := c.d.Remote.Expose(in)
	k.shown = handle
	own, failed := keyMessage(len(in), packed, err)
	all, err := device.Swap(c.d, own, []int{c.Rank(), peer}, rawTag, rawContext)
	if err == nil && failed == nil {
		k.target, err = c.d.reach(peer, all[1], len(out))
	}
	if err = cmp.Or(failed, err); err != nil {
		k.d = c.d
		k.Close()
		return nil, fmt.Errorf("linking memory with rank %d: %w", peer, err)
	}
	return k, nil
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

func (k *link) Put(rounds, each int, stamps *device.Stamps) error {
	return k.rounds(rounds, each, stamps, func(int) error { return k.post(accessPut, k.out, 0, 0) }, k.inPlace)
}

func (k *link) Get(rounds, each int, stamps *device.Stamps) error {
	return k.rounds(rounds, each, stamps, func(int) error { return k.post(accessGet, k.out, 0, 0) }, k.settle)
}

func (k *link) FetchAdd(rounds, each int, stamps *device.Stamps) error {
	return k.rounds(rounds, each, stamps, func(int) error { return k.post(accessAdd, k.out, 0, 1) }, k.settle)
}

// CompareSwap does one swap after the other, because each expects the value of the one before.
func (k *link) CompareSwap(rounds, each int, from uint64, stamps *device.Stamps) error {
	return k.rounds(rounds, each, stamps, func(int) error {
		from++
		if err := k.post(accessSwap, k.out, 0, from-1); err != nil {
			return err
		}
		return k.settle()
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
			if err = k.post(accessPut, k.out, 0, 0); err == nil {
				err = k.settle()
			}
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
