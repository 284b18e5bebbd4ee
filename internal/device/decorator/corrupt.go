package decorator

import "gobench/device"

// CorruptIn flips one bit of one byte in every every-th message (1 = all) that is received with a
// payload in a context for which in returns true. It is called when a receive is posted, so that
// the control messages of a benchmark stay intact while its data is damaged. Messages are counted
// in t, which determines the every-th message.
//
// The byte is the last of the eight around the middle of the stored data, and the bit its second
// highest. In a number of 4 or 8 bytes that bit belongs to the exponent, so that the damage is
// larger than the rounding errors that a check must allow.
func CorruptIn[C device.Channel](in func(context int32) bool, c C, every int, t *Tally) C {
	h := &corrupt{in: in, every: every, tally: t, posted: receives{}}
	wrapped := Wrap(c, h)
	if linker, ok := any(c).(device.Linker); ok {
		if both, ok := any(corruptLinker{wrapped, linker, h}).(C); ok { // no device runs loops
			return both
		}
	}
	return wrapped
}

type corrupt struct {
	in     func(context int32) bool
	every  int
	tally  *Tally
	posted receives
}

func (*corrupt) Before(*Call) error { return nil }

func (h *corrupt) After(c *Call, done bool, st *device.Status, err error) error {
	if (c.Op == OpIrecv || c.Op == OpRecv) && !h.in(c.Context) {
		return err
	}
	buf, ok := h.posted.landed(c, done, err)
	if n := min(len(buf), st.Size); ok && err == nil && n > 0 && h.several(1) {
		damage(buf[:n])
	}
	return err
}

// several counts n messages, each of which overwrites the one before, and reports whether the last
// one must be damaged.
func (h *corrupt) several(n int) bool {
	before := h.tally.Seen / h.every
	h.tally.Seen += n
	h.tally.Done += h.tally.Seen/h.every - before
	return n > 0 && h.tally.Seen%h.every == 0
}

// damage flips the bit. Called twice it does nothing.
func damage(b []byte) {
	if n := len(b); n > 0 {
		b[min(n/2|7, n-1)] ^= 0x40
	}
}

// corruptLinker is a corrupted channel that runs loops below Send and Recv.
type corruptLinker struct {
	device.Channel
	inner device.Linker
	hook  *corrupt
}

func (w corruptLinker) Native() bool { return w.inner.Native() }

func (w corruptLinker) Offers(op device.LinkOperation) error { return w.inner.Offers(op) }

func (w corruptLinker) PingPong(out, in []byte, peer, k int, first bool, stamps *device.Stamps) error {
	err := w.inner.PingPong(out, in, peer, k, first, stamps)
	if w.hook.several(k) && err == nil {
		damage(in)
	}
	return err
}

func (w corruptLinker) Link(peer int, out, in []byte) (device.Link, error) {
	l, err := w.inner.Link(peer, out, in)
	if err != nil {
		return nil, err
	}
	return corruptLink{l, w.hook, out, in}, nil
}

type corruptLink struct {
	device.Link
	hook    *corrupt
	out, in []byte
}

// Put damages out for the time of the call, because the rank that it is written to makes no call.
func (l corruptLink) Put(rounds, each int, stamps *device.Stamps) error {
	if l.hook.several(rounds * each) {
		damage(l.out)
		defer damage(l.out) // flips the bit back
	}
	return l.Link.Put(rounds, each, stamps)
}

func (l corruptLink) Get(rounds, each int, stamps *device.Stamps) error {
	return l.fetched(rounds*each, l.Link.Get(rounds, each, stamps))
}

func (l corruptLink) FetchAdd(rounds, each int, stamps *device.Stamps) error {
	return l.fetched(rounds*each, l.Link.FetchAdd(rounds, each, stamps))
}

func (l corruptLink) CompareSwap(rounds, each int, from uint64, stamps *device.Stamps) error {
	return l.fetched(rounds*each, l.Link.CompareSwap(rounds, each, from, stamps))
}

// fetched damages what n operations have written to out.
func (l corruptLink) fetched(n int, err error) error {
	if l.hook.several(n) && err == nil {
		damage(l.out)
	}
	return err
}

func (l corruptLink) PutPong(k int, first bool, stamps *device.Stamps) error {
	err := l.Link.PutPong(k, first, stamps)
	if l.hook.several(k) && err == nil {
		damage(l.in[:len(l.in)-1]) // without the byte that counts rounds
	}
	return err
}
