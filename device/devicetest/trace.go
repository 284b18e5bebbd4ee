package devicetest

import (
	"fmt"
	"strings"
	"sync"

	"gobench/device"
	"gobench/internal/device/decorator"
)

// event is one recorded call.
type event struct {
	Number int64 // of the call, from 0
	Call   decorator.Call
	Status device.Status // of what completed
	Done   bool          // false for a Test or Iprobe that found nothing
	Err    error
	Open   bool // the call has not returned yet
}

func (e event) String() string {
	s := fmt.Sprintf("%d %s", e.Number, describe(e.Call))
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

// trace is a record of the last calls of one channel. Recording allocates nothing. It may be read
// at any time, from any goroutine. Calls that repeat one that found nothing, as Test and Iprobe in
// a loop do, are counted but recorded once.
type trace struct {
	mu     sync.Mutex // held for nanoseconds; never during a call of the channel
	events []event    // ring
	next   int64      // number of events recorded
	calls  int64
}

// newTrace returns a trace that keeps the last capacity calls, at least 1.
func newTrace(capacity int) *trace { return &trace{events: make([]event, capacity)} }

func (t *trace) Before(c *decorator.Call) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	number := t.calls
	t.calls++
	if t.next > 0 {
		last := t.at(t.next - 1)
		if !last.Done && !last.Open && last.Err == nil && same(&last.Call, c) {
			last.Number, last.Open = number, true
			return nil
		}
	}
	*t.at(t.next) = event{Number: number, Call: *c, Open: true}
	t.at(t.next).Call.Buf = nil // it belongs to the caller
	t.next++
	return nil
}

func (t *trace) After(c *decorator.Call, done bool, st *device.Status, err error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.at(t.next - 1)
	e.Call.Request, e.Done, e.Status, e.Err, e.Open = c.Request, done, *st, err, false
	return err
}

func (t *trace) at(n int64) *event { return &t.events[n%int64(len(t.events))] }

// recorded returns the recorded calls, oldest first.
func (t *trace) recorded() []event {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []event
	for n := max(0, t.next-int64(len(t.events))); n < t.next; n++ {
		list = append(list, *t.at(n))
	}
	return list
}

// last shows the last n recorded calls, one to a line.
func (t *trace) last(n int) string {
	list := t.recorded()
	var b strings.Builder
	for _, e := range list[max(0, len(list)-n):] {
		fmt.Fprintf(&b, "\t%v\n", e)
	}
	return b.String()
}

var opNames = [...]string{decorator.OpIsend: "Isend", decorator.OpIssend: "Issend", decorator.OpIrecv: "Irecv", decorator.OpSend: "Send",
	decorator.OpSsend: "Ssend", decorator.OpRecv: "Recv", decorator.OpWait: "Wait", decorator.OpTest: "Test", decorator.OpIprobe: "Iprobe",
	decorator.OpProbe: "Probe", decorator.OpPeek: "Peek", decorator.OpCancel: "Cancel", decorator.OpClose: "Close"}

// same reports whether both calls have equal arguments.
func same(c, d *decorator.Call) bool {
	return c.Op == d.Op && c.Peer == d.Peer && c.Tag == d.Tag && c.Context == d.Context &&
		c.Size == d.Size && c.Request == d.Request
}

// describe returns a call with its arguments.
func describe(c decorator.Call) string {
	name := opNames[c.Op]
	switch c.Op {
	case decorator.OpWait, decorator.OpTest, decorator.OpCancel:
		return fmt.Sprintf("%s request %#x", name, uint64(c.Request))
	case decorator.OpPeek, decorator.OpClose:
		return name
	case decorator.OpProbe, decorator.OpIprobe:
		return fmt.Sprintf("%s peer %s tag %s context %d", name, wild(c.Peer), wild(int(c.Tag)), c.Context)
	}
	s := fmt.Sprintf("%s peer %s tag %s context %d, %d bytes", name, wild(c.Peer), wild(int(c.Tag)), c.Context, c.Size)
	if c.Request != 0 {
		s += fmt.Sprintf(", request %#x", uint64(c.Request))
	}
	return s
}

func wild(n int) string {
	if n == -1 {
		return "any"
	}
	return fmt.Sprint(n)
}
