package smem

import (
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/device/protocol"
)

// A rank that sleeps is woken by a packet, one that came before ends the sleep immediately, and a
// rank that waits for room looks again soon.
func TestSleepersAreWoken(t *testing.T) {
	wires := waitingWires(t, 2, minRing, "block")
	var s heard
	const forever = time.Hour // the test would not end
	for range 100 {
		slept := make(chan struct{})
		go func() {
			wires[1].block(forever)
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
	wires[1].block(forever)
	for wires[0].Push(1, protocol.Header{W0: 3}, nil) {
	}
	wires[0].block(forever)
}

// A rank that has taken a packet of its only peer, from which alone it polls, sleeps again.
func TestTheOnlyPeerLeavesNoMark(t *testing.T) {
	wires := waitingWires(t, 2, minRing, "block")
	var s heard
	for !wires[0].Push(1, protocol.Header{W0: 1}, nil) {
	}
	for !wires[1].Poll(0, &s) {
	}
	for wires[1].Poll(0, &s) {
	}
	if wires[1].waiting() {
		t.Error("a packet that was taken counts as one that waits")
	}
}

// A rank that waits for several wires is woken through its pipe, by every packet that has not come
// before, and a byte that comes late ends one sleep only.
func TestSleepersAreWokenByPipe(t *testing.T) {
	wires := waitingWires(t, 2, minRing, "block")
	sender, sleeper := wires[0], wires[1]
	if sleeper.Sleep().Arm != nil {
		t.Fatal("a rank without other wires has a pipe")
	}
	if err := sleeper.pipe.open(); err != nil {
		t.Fatal(err)
	}
	p := &sender.peers[1]
	p.endpoint.PID, p.endpoint.Bell = os.Getpid(), &sleeper.pipe.in
	if err := p.openBell(); err != nil {
		t.Fatal(err)
	}
	defer sleeper.pipe.close()
	defer p.closeBell()
	var s heard
	sleep := func() (ready int) {
		fds, longest := sleeper.arm(nil)
		if longest != 0 {
			var err error
			for ready, err = unix.Poll(fds, -1); err == unix.EINTR; ready, err = unix.Poll(fds, -1) {
			}
		}
		sleeper.disarm()
		return ready
	}
	for range 100 {
		got := make(chan struct{})
		go func() {
			for !sleeper.Poll(device.AnySource, &s) {
				sleep()
			}
			close(got)
		}()
		for !sender.Push(1, protocol.Header{W0: 1}, nil) {
		}
		<-got
	}
	for sleeper.pipe.due > 0 {
		sleep()
	}
	// The byte of a peer that is interrupted before it writes.
	sleeper.own.bell().Announce(0)
	sleeper.disarm()
	p.ring()
	if ready := sleep(); ready != 1 {
		t.Errorf("a late byte: %d descriptors are ready", ready)
	}
	fds, longest := sleeper.arm(nil)
	if ready, err := unix.Poll(fds, 0); ready != 0 || err != nil || longest >= 0 {
		t.Errorf("after a late byte: %d descriptors are ready (%v), and the bound is %v", ready, err, longest)
	}
	sleeper.disarm()
	for sender.Push(1, protocol.Header{W0: 3}, nil) {
	}
	sender.own.bell().Announce(0)
	if err := sender.pipe.open(); err != nil {
		t.Fatal(err)
	}
	defer sender.pipe.close()
	for sender.Poll(device.AnySource, &s) { // clears the mark that the trials at open have left
	}
	if _, longest := sender.arm(nil); longest <= 0 {
		t.Errorf("a rank that waits for room sleeps for %v", longest)
	}
	sender.disarm()
}

// Of many peers Idle looks at some at a time, and finds each that is lost.
func TestIdleLooksAtAll(t *testing.T) {
	wires := goroutineWires(t, idleMin+8, minRing)
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

// Where ranks may sleep, a goodbye comes once, after the packets that were sent before it, the last
// one ends the sleep of who waits for it, and what was sent after it still comes.
func TestGoodbyeToAll(t *testing.T) {
	wires := waitingWires(t, 2, minRing, "block")
	spinning := waitingWires(t, 2, minRing, "spin")
	if _, said := spinning[0].Leave(0, true); said {
		t.Error("ranks that do not sleep say goodbye in their headers")
	}
	var s heard
	const packets = 10
	for i := range packets {
		wires[0].Push(1, protocol.Header{W0: uint64(i)}, nil)
	}
	if wires[1].Leave(0, true); wires[1].allSaidGoodbye() {
		t.Error("one of two ranks has said goodbye, and all are said to have")
	}
	slept := make(chan struct{})
	go func() {
		for !wires[1].allSaidGoodbye() {
			wires[1].block(time.Hour)
		}
		close(slept)
	}()
	if _, said := wires[0].Leave(7, true); !said {
		t.Fatal("no goodbye")
	}
	<-slept
	for range 2 {
		wires[1].Idle(&s)
	}
	if len(s.goodbyes) != 1 || s.goodbyes[0] != 7 || s.after[0] != packets {
		t.Errorf("goodbyes %v after %v packets, want 7 after %d", s.goodbyes, s.after, packets)
	}
	wires[0].Push(1, protocol.Header{W0: packets}, nil)
	wires[0].own.close()
	wires[1].Idle(&s)
	if len(s.packets) != packets+1 || s.failures[0] != "it has closed its device" {
		t.Errorf("after the goodbye %d packets came, want 1, and failures %v", len(s.packets)-packets, s.failures)
	}
}

// Polls for any rank deliver all packets of a rank in bursts and in order, also after one that left
// the rank out.
func TestMarks(t *testing.T) {
	wires := waitingWires(t, 2, 8*minRing, "block")
	var s heard
	const packets = burst + 3
	for i := range packets {
		wires[0].Push(1, protocol.Header{W0: uint64(i)}, nil)
	}
	if wires[1].Serve(0, &s) || len(s.packets) > 0 {
		t.Errorf("%d packets of the rank that was left out", len(s.packets))
	}
	for _, want := range []int{burst, packets} {
		if !wires[1].Poll(device.AnySource, &s) || len(s.packets) != want {
			t.Fatalf("%d packets, want %d", len(s.packets), want)
		}
	}
	if wires[1].Poll(device.AnySource, &s) {
		t.Error("a poll finds something where nothing is left")
	}
	for i, h := range s.packets {
		if h.W0 != uint64(i) {
			t.Fatalf("packet %d is %d", i, h.W0)
		}
	}
}
