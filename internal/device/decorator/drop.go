package decorator

import (
	"time"

	"gobench/device"
)

// Drop simulates the loss of a peer. After the first k operations that name the peer as destination
// or source, every operation that needs it returns a *device.PeerError: also the Wait and Test of
// operations that were started before, and receives from AnySource. The peer itself is not
// affected.
//
// A request that fails in this way stays open in the wrapped channel; its buffer must not be
// reused. The operations that name the peer are counted in t.
func Drop[C device.Channel](c C, peer, k int, t *Tally) C {
	return Wrap(c, &drop{peer: peer, self: c.Rank() == peer, limit: k, tally: t, open: map[device.Request]bool{}})
}

type drop struct {
	peer  int
	self  bool // this is the peer
	limit int  // operations before the loss
	tally *Tally
	open  map[device.Request]bool // requests that need the peer
}

func (h *drop) needs(c *Call) bool {
	switch c.Op {
	case OpWait, OpTest:
		return h.open[c.Request]
	case OpIrecv, OpRecv, OpProbe, OpIprobe:
		return c.Peer == h.peer || c.Peer == device.AnySource
	}
	return c.Op.sends() && c.Peer == h.peer
}

func (h *drop) Before(c *Call) error {
	if h.self || !h.needs(c) {
		return nil
	}
	if h.tally.Seen < h.limit {
		if c.Op != OpWait && c.Op != OpTest && c.Peer == h.peer {
			h.tally.Seen++
		}
		return nil
	}
	h.tally.Done++
	if c.Op == OpWait || c.Op == OpTest {
		delete(h.open, c.Request)
	}
	return &device.PeerError{Rank: h.peer, Cause: "it was dropped by decorator.Drop"}
}

func (h *drop) After(c *Call, done bool, _ *device.Status, err error) error {
	switch c.Op {
	case OpIsend, OpIssend, OpIrecv:
		if err == nil && h.needs(c) {
			h.open[c.Request] = true
		}
	case OpWait, OpTest:
		if done {
			delete(h.open, c.Request)
		}
	}
	return err
}

// Delay delays the start of every send by d. It spins for delays below a millisecond and sleeps for
// longer ones.
func Delay[C device.Channel](c C, d time.Duration) C { return Wrap(c, delay(d)) }

type delay time.Duration

func (d delay) Before(c *Call) error {
	if !c.Op.sends() {
		return nil
	}
	if time.Duration(d) >= time.Millisecond {
		time.Sleep(time.Duration(d))
		return nil
	}
	for start := time.Now(); time.Since(start) < time.Duration(d); {
	}
	return nil
}

func (delay) After(_ *Call, _ bool, _ *device.Status, err error) error { return err }
