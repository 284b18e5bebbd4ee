package protocol

import (
	"fmt"

	"gobench/device"
)

// A round posts each of its requests as soon as there is room and ends when all have completed, so
// at most Each are outstanding. Completed counts them; errors lose the peer, and run returns its
// error.
//
// steps implements Looper over an RMA wire that has no loops of its own: each put or get is one
// call of the wire and completes by a call of Completed.
type steps struct {
	RMA
	peer          int
	loop          *Loop
	posted, ended int // of the round
}

// stepper is a linker over steps, and the sink of its wire.
type stepper struct {
	linker
	steps *steps
}

// Stepping returns a device.Linker over d that uses the puts and gets of its wire w.
func Stepping(d *Raw, w RMA) device.Channel {
	s := &steps{RMA: w}
	c := &stepper{linker{Raw: d, looper: s}, s}
	d.sink = c
	return c
}

// Completed handles the completion of a put or get (Sink). If it has failed, its peer is lost.
func (c *stepper) Completed(_ uint64, err error) {
	if err != nil {
		c.Failed(c.steps.peer, err.Error())
		return
	}
	c.steps.ended++
}

// Native implements Looper.
func (s *steps) Native() bool { return false }

// Offers implements Looper.
func (s *steps) Offers(op device.LinkOperation) error {
	switch op {
	case device.LinkPut, device.LinkGet:
		return nil
	case device.LinkPutPong:
		return fmt.Errorf("%v needs a network that writes the last byte of a put last, which this one does not promise", op)
	}
	return fmt.Errorf("its wire has puts and gets, not %v", op)
}

// Begin implements Looper.
func (s *steps) Begin(peer int, l *Loop) { s.peer, s.loop, s.posted, s.ended = peer, l, 0, 0 }

// Between two calls of Continue the protocol polls, so that completions are reported and other
// peers are served.
//
// stepsAtOnce is the number of puts or gets after which a loop returns, so that other peers are
// served.
const stepsAtOnce = 1 << 8

// Continue implements Looper.
func (s *steps) Continue() (advanced, done bool) {
	l := s.loop
	for range stepsAtOnce {
		switch {
		case l.Left == 0:
			return advanced, true
		case s.posted < l.Each:
			started := Busy
			if l.Kind == LoopGet {
				started = s.Get(s.peer, l.Theirs, 0, l.Out, l.Mine, 0)
			} else {
				started = s.Put(s.peer, l.Theirs, 0, l.Out, l.Mine, 0)
			}
			if started == Busy {
				return advanced, false
			}
			if s.posted++; started == Done {
				s.ended++
			}
		case s.ended < s.posted:
			return advanced, false
		default:
			l.Left--
			s.posted, s.ended = 0, 0
			l.Stamps.Round()
		}
		advanced = true
	}
	return advanced, l.Left == 0
}
