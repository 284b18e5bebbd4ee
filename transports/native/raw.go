package native

import (
	"runtime"
	"time"

	"gobench/device"
)

// RawTag and RawContext belong to all messages of level raw.
const RawTag, RawContext = 0, 0

// A Raw is the channel of level raw over a library that matches tags: the sends and receives of a
// device between pairs of ranks, with one tag.
type Raw struct{ device device.Device }

// NewRaw returns the channel over d, which it closes.
func NewRaw(d device.Device) Raw { return Raw{d} }

// Check returns the error of the arguments of an operation with another rank.
func (c Raw) Check(what string, peer int, tag int32) error {
	switch {
	case uint(peer) >= uint(c.Size()) || peer == c.Rank():
		return &device.ArgumentError{Name: what, Value: peer, Want: "another rank at level raw"}
	case tag < 0:
		return &device.ArgumentError{Name: "tag", Value: int(tag), Want: "a tag of 0 or more"}
	}
	return nil
}

func (c Raw) Rank() int         { return c.device.Rank() }
func (c Raw) Size() int         { return c.device.Size() }
func (c Raw) Info() device.Info { return c.device.Info() }
func (c Raw) Close() error      { return c.device.Close() }

func (c Raw) Isend(buf []byte, dst int, tag, context int32) (device.Request, error) {
	if err := c.Check("destination", dst, tag); err != nil {
		return 0, err
	}
	return c.device.Isend(buf, dst, RawTag, RawContext)
}

func (c Raw) Irecv(buf []byte, src int, tag, context int32) (device.Request, error) {
	if err := c.Check("source", src, tag); err != nil {
		return 0, err
	}
	return c.device.Irecv(buf, src, RawTag, RawContext)
}

func (c Raw) Send(buf []byte, dst int, tag, context int32) error {
	if err := c.Check("destination", dst, tag); err != nil {
		return err
	}
	return c.device.Send(buf, dst, RawTag, RawContext)
}

func (c Raw) Recv(buf []byte, src int, tag, context int32) (device.Status, error) {
	if err := c.Check("source", src, tag); err != nil {
		return device.Status{}, err
	}
	st, err := c.device.Recv(buf, src, RawTag, RawContext)
	st.Tag = tag
	return st, err
}

func (c Raw) Wait(q device.Request) (device.Status, error)       { return c.device.Wait(q) }
func (c Raw) Test(q device.Request) (device.Status, bool, error) { return c.device.Test(q) }

// A Turn yields to Go's scheduler every few milliseconds. The runtime's monitor (sysmon, retake)
// takes the processor away from a goroutine that has run for 10 ms and is found in a cgo call, and
// starts another thread with it, every 20 us, on the core that the rank is pinned to. After 10 ms
// in plain calls (package stackcall) it interrupts the goroutine by a signal. A yield in time
// avoids both. docs/notes/rdma.md has the price.
type Turn struct {
	calls uint32
	last  time.Time
}

const (
	turnCalls = 32 // calls into C between two looks at the clock
	turnEvery = 4 * time.Millisecond
)

// Take must be called after every call into C that may poll.
func (t *Turn) Take() {
	if t.calls++; t.calls%turnCalls == 0 {
		t.look()
	}
}

// look yields unless the last turn is recent.
func (t *Turn) look() {
	if time.Since(t.last) >= turnEvery { // one clock where time.Now reads two
		t.last = time.Now()
		runtime.Gosched()
	}
}
