package smem

import (
	"testing"
	"time"

	"gobench/device"
	"gobench/device/protocol"
)

// A rank that sleeps is woken by a packet, one that came before ends the sleep at once, and a rank that
// waits for room looks again soon.
func TestSleepersAreWoken(t *testing.T) {
	wires := waitingWires(t, 2, minRing, "block")
	var s heard
	const forever = time.Hour // the test would not end
	for range 100 {
		slept := make(chan struct{})
		go func() {
			wires[1].Block(forever)
			close(slept)
		}()
		for !wires[0].Push(1, protocol.Header{W0: 1}, nil) {
		}
		<-slept
		if !wires[1].Poll(device.AnySource, &s) {
			t.Fatal("it was woken for nothing")
		}
	}
	wires[0].Push(1, protocol.Header{W0: 2}, nil)
	wires[1].Block(forever)
	for wires[0].Push(1, protocol.Header{W0: 3}, nil) {
	}
	wires[0].Block(forever)
}

// Of many peers Idle looks at some at a time, and finds each that is lost.
func TestIdleLooksAtAll(t *testing.T) {
	wires := goroutineWires(t, idleAtLeast+8, minRing)
	last := len(wires) - 1
	wires[last].own.close()
	wires[3].own.close()
	var s heard
	w := wires[0]
	for range 2 {
		w.idled = time.Now()
		w.Idle(&s)
	}
	if len(s.failures) != 2 || s.failures[3] == "" || s.failures[last] == "" {
		t.Errorf("ranks 3 and %d have closed; lost are %v", last, s.failures)
	}
	if len(w.others) != last-2 {
		t.Errorf("%d others are left, want %d", len(w.others), last-2)
	}
}
