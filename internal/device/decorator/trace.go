package decorator

import (
	"fmt"
	"strings"
	"sync"

	"gobench/device"
)

// Event is one recorded call.
type Event struct {
	Number int64 // of the call, from 0
	Call   Call
	Status device.Status // of what completed
	Done   bool          // false for a Test or Iprobe that found nothing
	Err    error
	Open   bool // the call has not returned yet
}

func (e Event) String() string {
	s := fmt.Sprintf("%d %v", e.Number, e.Call)
	switch {
	case e.Open:
		return s + ": has not returned"
	case e.Err != nil:
		return s + ": " + e.Err.Error()
	case !e.Done:
		return s + ": not yet"
	case e.Status != (device.Status{}):
		return fmt.Sprintf("%s: %d bytes from %d tag %d cancelled %t", s, e.Status.Size, e.Status.Source, e.Status.Tag, e.Status.Cancelled)
	}
	return s + ": ok"
}

// Trace is a record of the last calls of one channel, and counts of all of
// them. Recording allocates nothing. A Trace may be read at any time, from any
// goroutine. Calls that repeat one that found nothing, as Test and Iprobe in a
// loop do, are counted but recorded once.
type Trace struct {
	mu     sync.Mutex // held for nanoseconds; never during a call of the channel
	events []Event    // ring
	next   int64      // number of events recorded
	counts [opEnd]int64
	calls  int64
}

// NewTrace returns a trace that keeps the last capacity calls. It panics
// unless capacity is at least 1.
func NewTrace(capacity int) *Trace {
	if capacity < 1 {
		panic("decorator: a trace wants a capacity of 1 or more")
	}
	return &Trace{events: make([]Event, capacity)}
}

// Traced returns c with its calls recorded in t.
func Traced[C device.Channel](c C, t *Trace) C { return wrap(c, t) }

func (t *Trace) before(c *Call) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts[c.Op]++
	number := t.calls
	t.calls++
	if t.next > 0 {
		last := t.at(t.next - 1)
		if !last.Done && !last.Open && last.Err == nil && last.Call.same(c) {
			last.Number, last.Open = number, true
			return nil
		}
	}
	*t.at(t.next) = Event{Number: number, Call: c.bare(), Open: true}
	t.next++
	return nil
}

func (t *Trace) after(c *Call, done bool, st *device.Status, err error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.at(t.next - 1)
	e.Call.Request, e.Done, e.Status, e.Err, e.Open = c.Request, done, *st, err, false
	return err
}

func (t *Trace) at(n int64) *Event { return &t.events[n%int64(len(t.events))] }

// Count returns the number of calls of op.
func (t *Trace) Count(op Op) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.counts[op]
}

// Events returns the recorded calls, oldest first.
func (t *Trace) Events() []Event {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []Event
	for n := max(0, t.next-int64(len(t.events))); n < t.next; n++ {
		list = append(list, *t.at(n))
	}
	return list
}

// Last shows the last n recorded calls, one to a line.
func (t *Trace) Last(n int) string {
	list := t.Events()
	var b strings.Builder
	for _, e := range list[max(0, len(list)-n):] {
		fmt.Fprintf(&b, "\t%v\n", e)
	}
	return b.String()
}
