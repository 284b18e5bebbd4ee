package protocol

import (
	"errors"
	"testing"
	"time"

	"gobench/device"
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

// wakingWire is a wire that counts the sleeps of its rank, each of which a packet ends.
type wakingWire struct {
	*boardWire
	sleeps int
	wake   boardPacket
}

func (w *wakingWire) Block(time.Duration) {
	w.sleeps++
	w.queues[0][1] = append(w.queues[0][1], w.wake)
}

// With wait=block a rank sleeps at once, and only over a wire that wakes it.
func TestBlock(t *testing.T) {
	opts, err := device.ParseOptions(Options(), map[string]string{"wait": "block"})
	if err != nil {
		t.Fatal(err)
	}
	c := Config{Transport: "board", Size: 2, LocalSize: 1, Options: opts}
	var wrong *device.ValueError
	if _, err := NewRaw(&boardWire{board: newBoard(2, 8)}, c); !errors.As(err, &wrong) || wrong.Option != "wait" {
		t.Errorf("a wire that wakes nobody: the error is %v", err)
	}
	w := &wakingWire{boardWire: &boardWire{board: newBoard(2, 8)}, wake: boardPacket{header(kindEager, 0, 0, 0, 2), []byte("up")}}
	d, err := NewRaw(w, c)
	if err != nil {
		t.Fatal(err)
	}
	in := make([]byte, 2)
	if _, err := d.Recv(in, 1, 0, 0); err != nil || string(in) != "up" || w.sleeps != 1 {
		t.Errorf("%q after %d sleeps: %v", in, w.sleeps, err)
	}
	if got := d.Info().Options["wait"]; got != "block" {
		t.Errorf("the record says wait=%s", got)
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
