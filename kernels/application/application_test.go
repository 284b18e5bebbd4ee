package application

import (
	"testing"

	"gobench/internal/allocs"
)

func TestPartCoversAll(t *testing.T) {
	for n := range 20 {
		for threads := 1; threads < 8; threads++ {
			next := 0
			for thread := range threads {
				lo, hi := Part(n, thread, threads)
				if lo != next || hi < lo || hi-lo > n/threads+1 {
					t.Fatalf("part %d of %d of %d things is [%d, %d), the one before ends at %d", thread, threads, n, lo, hi, next)
				}
				next = hi
			}
			if next != n {
				t.Fatalf("%d parts of %d things end at %d", threads, n, next)
			}
		}
	}
}

func TestEveryMomentBelongsToAPhase(t *testing.T) {
	var timers Timers
	timers.begin()
	for range 100 {
		timers.Begin(Exchange)
		timers.Begin(Allreduce)
		timers.Begin(Compute)
	}
	timers.end()
	var sum int64
	for _, p := range Phases() {
		sum += timers.spent[p]
	}
	if sum != timers.whole {
		t.Errorf("phases take %d ns together, the whole %d ns", sum, timers.whole)
	}
	if timers.Calls(Exchange) != 100 || timers.Calls(Barrier) != 0 {
		t.Errorf("%d exchanges and %d barriers were counted, want 100 and 0", timers.Calls(Exchange), timers.Calls(Barrier))
	}
}

func TestProfileCountsMessages(t *testing.T) {
	p := newProfile(4)
	p.Sent(-2, 100) // nobody
	p.Sent(1, 0)
	p.Sent(1, 7)
	p.Sent(2, 8)
	p.SentAll(0, 2, 2, 0, 16)
	p.Collective(8)
	if want := (Traffic{2, 7}); p.Peers[1] != want {
		t.Errorf("rank 1 got %v, want %v", p.Peers[1], want)
	}
	if want := (Traffic{2, 24}); p.Peers[2] != want {
		t.Errorf("rank 2 got %v, want %v", p.Peers[2], want)
	}
	if p.Sizes[0] != 1 || p.Sizes[3] != 1 || p.Sizes[4] != 1 || p.Sizes[5] != 1 {
		t.Errorf("sizes are counted as %v", p.Sizes[:8])
	}
	if n := allocs.Count(100, func() { p.Sent(3, 1); p.Collective(1) }); n > 0 {
		t.Errorf("counting allocates %v times", n)
	}
	p.reset()
	if p.Peers[1].Messages != 0 || p.Collectives.Messages != 0 {
		t.Errorf("a reset profile still counts %v", p)
	}
}
