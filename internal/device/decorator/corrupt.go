package decorator

import "gobench/device"

// Corrupt flips one bit of one byte in every every-th message that is
// received with a payload. every = 1 damages all of them. It panics unless every is at
// least 1.
//
// The byte is the last of the eight around the middle of the stored data, and the bit its second
// highest. In a number of 4 or 8 bytes that bit belongs to the exponent, so that the damage is
// larger than the rounding errors that a check must allow.
func Corrupt[C device.Channel](c C, every int) C {
	if every < 1 {
		panic("decorator: Corrupt wants every >= 1")
	}
	return CorruptIn(func(int32) bool { return true }, c, every, new(Tally))
}

// CorruptIn is Corrupt for the messages received in contexts for which in returns true. It is
// called when a receive is posted. With it, the control messages of a benchmark stay intact while
// its data is damaged. Messages are counted in t, which determines the every-th message.
func CorruptIn[C device.Channel](in func(context int32) bool, c C, every int, t *Tally) C {
	h := &corrupt{in: in, every: every, tally: t, posted: receives{}}
	wrapped := wrap(c, h)
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

func (*corrupt) before(*Call) error { return nil }

func (h *corrupt) after(c *Call, done bool, st *device.Status, err error) error {
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
