package protocol

import (
	"testing"
	"time"
)

type sleeper struct{}

func (sleeper) Block(time.Duration) {}

// Where ranks outnumber processors, sleeps grow with the wait, so that many waiting ranks leave the
// processors to those that work, and end in time for Idle.
func TestPause(t *testing.T) {
	crowded, alone := newWaitPolicy("yield", 1, false), newWaitPolicy("spin", 1, false)
	woken := crowded
	woken.blocker = sleeper{}
	for _, c := range []struct {
		policy       waitPolicy
		waited, want time.Duration
	}{
		{crowded, 300 * time.Microsecond, 100 * time.Microsecond},
		{crowded, 20 * time.Millisecond, 2 * time.Millisecond},
		{crowded, time.Minute, idlePeriod},
		{woken, 20 * time.Millisecond, 2 * time.Millisecond},
		{woken, time.Minute, blockPeriod},
		{alone, 20 * time.Millisecond, 50 * time.Microsecond},
		{alone, time.Minute, 50 * time.Microsecond},
	} {
		if got := c.policy.pause(c.waited); got != c.want {
			t.Errorf("%v, after %v: a sleep of %v, want %v", c.policy, c.waited, got, c.want)
		}
	}
}

// rareWire counts its polls, which find something while there is some.
type rareWire struct {
	Wire
	polls, some int
}

func (w *rareWire) Poll(int, Sink) bool {
	w.polls++
	w.some--
	return w.some >= 0
}

// While a rank waits for a peer of a quick wire, a slow one is polled more rarely the longer nothing comes
// from it, and as often as in the beginning once something has come. A rank that waits for any source
// polls it often.
func TestSlowWiresArePolledRarely(t *testing.T) {
	slow := &rareWire{}
	quick := &carrier{wire: &rareWire{}}
	d := &core{carriers: []*carrier{quick, {wire: slow, rare: true}}}
	polls := func(but *carrier, calls int) int {
		before := slow.polls
		for range calls {
			d.pollOthers(but, 1)
		}
		return slow.polls - before
	}
	polls(quick, 10*mostRespite)
	if n := polls(quick, 10*mostRespite); n != 10 {
		t.Errorf("%d polls in %d, want one in %d", n, 10*mostRespite, mostRespite)
	}
	for slow.some = 1; slow.some == 1; {
		d.pollOthers(quick, 1)
	}
	if n := polls(quick, leastRespite); n != 1 {
		t.Errorf("%d polls in %d after one that found something", n, leastRespite)
	}
	polls(nil, mostRespite)
	if n := polls(nil, 10*leastRespite); n != 10 {
		t.Errorf("%d polls in %d for any source, want one in %d", n, 10*leastRespite, leastRespite)
	}
}

// The more ranks share a processor, the earlier those that wait sleep.
func TestCrowdedYields(t *testing.T) {
	for ranks, want := range map[int]time.Duration{4: 5 * time.Millisecond, 8: 1250 * time.Microsecond, 1024: 200 * time.Microsecond} {
		if got := crowdedYields(ranks, 2); got != want {
			t.Errorf("%d ranks on 2 processors yield for %v, want %v", ranks, got, want)
		}
	}
}
