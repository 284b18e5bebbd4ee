package devicetest

import (
	"errors"
	"time"

	"gobench/device"
)

// interruptRules interrupt the first of two ranks while it waits for the other, which makes no call
// that would end the wait.
func interruptRules() []rule {
	return []rule{
		{name: "interrupt of a receive", ranks: []int{2}, run: interruptOfReceive, alone: true},
		{name: "interrupt of a send", ranks: []int{2}, run: interruptOfSend, alone: true},
	}
}

// errInterrupt is the cause of the interrupts.
var errInterrupt = errors.New("the test interrupts")

// interruptAfter is the time until the interrupt, which is long enough for a rank to sleep in its
// wait. A rank that is interrupted before its wait must not begin it.
const interruptAfter = 30 * time.Millisecond

// interrupt interrupts this rank soon.
func (r *rank) interrupt() {
	d, ok := r.bare.(device.Interrupter)
	if !ok {
		r.fail("the device is no device.Interrupter")
	}
	time.AfterFunc(interruptAfter, func() { d.Interrupt(errInterrupt) })
}

// interrupted fails unless err comes from the interrupt.
func (r *rank) interrupted(err error, doing string) {
	var in *device.InterruptedError
	if !errors.As(err, &in) || !errors.Is(err, errInterrupt) {
		r.fail("%s after an interrupt: error is %v (%T), want an *InterruptedError", doing, err, err)
	}
}

// silent is the part of the last rank: it waits for the first one, which must be lost.
func (r *rank) silent() {
	_, err := r.Recv(r.token[:1], 0, 0, 0)
	r.lost(err, 0, "Recv from a rank that was interrupted")
}

func interruptOfReceive(r *rank) {
	r.sync()
	if r.Rank() != 0 {
		r.silent()
		return
	}
	small, large := make([]byte, 8), make([]byte, 1<<20)
	early, tested, own := r.irecv(small, 1, 1, 0), r.irecv(small, device.AnySource, 2, 0), r.irecv(small, 0, 4, 0)
	r.interrupt()
	_, err := r.Recv(large, 1, 3, 0)
	r.interrupted(err, "Recv")
	_, err = r.Wait(early)
	r.interrupted(err, "Wait")
	for done := false; !done; {
		_, done, err = r.Test(tested)
	}
	r.interrupted(err, "Test")
	_, err = r.Wait(own)
	r.interrupted(err, "Wait for a message of this rank")
	_, err = r.Recv(large, 0, 4, 0)
	r.interrupted(err, "Recv from this rank")
	_, err = r.Recv(large, device.AnySource, 3, 0)
	r.interrupted(err, "Recv from AnySource")
	_, err = r.Probe(device.AnySource, device.AnyTag, 0)
	r.interrupted(err, "Probe")
	r.interrupted(r.Send(large, 1, 3, 0), "Send")
	r.interrupted(r.Ssend(small, 1, 3, 0), "Ssend")
	if s, ok := r.bare.(device.Sharer); ok {
		r.interrupted(s.Progress(&device.WaitState{}, 0, device.AnySource), "Progress")
	}
	r.must(r.Close(), "close after an interrupt")
}

// interruptOfSend interrupts while much is announced to a rank that does not receive it.
func interruptOfSend(r *rank) {
	r.sync()
	if r.Rank() != 0 {
		r.silent()
		return
	}
	large := make([]byte, 8<<20)
	queued, own := r.issend(large, 1, 1, 0), r.issend(large, 0, 1, 0)
	r.interrupt()
	r.interrupted(r.Ssend(large, 1, 2, 0), "Ssend")
	_, err := r.Wait(queued)
	r.interrupted(err, "Wait for a send")
	_, err = r.Wait(own)
	r.interrupted(err, "Wait for a send to this rank")
	r.interrupted(r.Send(large, 0, 2, 0), "Send to this rank")
	r.must(r.Close(), "close after an interrupt")
}
