package sockets

import (
	"testing"
	"time"
)

const usual = 50 * time.Microsecond

// after returns for how many waits of this length a policy does not poll.
func (h *pollPolicy) after(took time.Duration) (n int) {
	for ; !h.polls(); n++ {
		h.waited(took, usual, false)
	}
	return n
}

func TestPollingEndsWhereWaitsAreLong(t *testing.T) {
	h := pollPolicy{left: trial}
	for range 1000 {
		if !h.polls() {
			t.Fatal("short waits ended polling")
		}
		h.waited(usual/shortShare, usual, true)
	}
	for range trial - 1 {
		h.polls()
		h.waited(usual, usual, true)
	}
	if !h.polls() {
		t.Fatal("fewer long waits than a trial ended polling")
	}
	h.waited(time.Microsecond, usual, true)
	fail := func() {
		for range trial {
			if !h.polls() {
				t.Fatal("a trial was cut short")
			}
			h.waited(usual, usual, true)
		}
	}
	fail()
	if n := h.after(2 * usual); n != restLong-1 {
		t.Errorf("the next trial came after %d long waits, want %d", n, restLong-1)
	}
	fail()
	// The peer may have begun to poll.
	if n := h.after(usual / 2); n != restShort && n != restShort+1 {
		t.Errorf("the next trial came after %d waits of half of Poll, want %d", n, restShort)
	}
}

func TestCheaperMethod(t *testing.T) {
	var p copyCost
	if p.copies() {
		t.Error("the first long write was not offered")
	}
	p.direct = 100
	ring := 0
	for range 4 {
		if p.copies() {
			ring++
		}
	}
	if ring != 2 {
		t.Errorf("%d of 4 writes tried the ring, whose cost is not known, want 2", ring)
	}
	for _, cost := range []uint64{50, 200} {
		p.ring = cost
		ring = 0
		for range 10 * tryEvery {
			if p.copies() {
				ring++
			}
		}
		want := 10
		if cost < p.direct {
			want = 10*tryEvery - 10
		}
		if ring != want {
			t.Errorf("with costs of %d and %d, %d of %d writes took the ring, want %d", cost, p.direct, ring, 10*tryEvery, want)
		}
	}
	// A writer that was not running does not change the choice immediately.
	if c := costOf(100, 1<<20, int64(time.Second)); c > 200 {
		t.Errorf("one slow copy raised the cost from 100 to %d", c)
	}
}
