package decorator

import "gobench/device"

// Corrupt flips one bit of one byte in every every-th message that is
// received with a payload: the middle byte of what was stored. every = 1
// damages all of them. It panics unless every is at least 1.
func Corrupt[C device.Channel](c C, every int) C {
	if every < 1 {
		panic("decorator: Corrupt wants every >= 1")
	}
	on := true
	return CorruptWhile(&on, c, every)
}

// CorruptWhile is Corrupt that does nothing while on says so: what is set up over
// messages can be set up first. on belongs to the goroutine of the channel.
func CorruptWhile[C device.Channel](on *bool, c C, every int) C {
	return wrap(c, &corrupt{on: on, every: every, posted: receives{}})
}

type corrupt struct {
	on          *bool
	every, seen int
	posted      receives
}

func (*corrupt) before(*Call) error { return nil }

func (h *corrupt) after(c *Call, done bool, st *device.Status, err error) error {
	buf, ok := h.posted.landed(c, done, err)
	if n := min(len(buf), st.Size); ok && err == nil && n > 0 && *h.on {
		if h.seen++; h.seen%h.every == 0 {
			buf[n/2] ^= 1
		}
	}
	return err
}
