package bench

import (
	"errors"
	"testing"

	"gobench/device"
	"gobench/internal/allocs"
)

// counter counts calls and events, and advances a clock.
type counter struct {
	calls, events int
	clock         int64
	fails         int // at this call; 0 = never
}

func (c *counter) Do(k int) error {
	c.calls++
	c.events += k
	c.clock += 10 * int64(k)
	if c.calls == c.fails {
		return errors.New("failed")
	}
	return nil
}

func (c *counter) now() int64 { return c.clock }

func TestBlockTimesEverySample(t *testing.T) {
	c := &counter{}
	timed := newTimed(c.now)
	timed.counts = true
	if err := timed.block(c, 5, 4, 3); err != nil {
		t.Fatal(err)
	}
	if c.calls != 6 || c.events != 3+5*4 {
		t.Errorf("%d calls, %d events", c.calls, c.events)
	}
	for i := range 5 {
		if d := timed.stamps[i+1] - timed.stamps[i]; d != 40 {
			t.Errorf("sample %d took %d", i, d)
		}
	}
}

// own is a counter that times itself.
type own struct{ counter }

func (o *own) Stamp(s *device.Stamps) error {
	o.calls++
	for range len(s.At) * s.Every {
		o.events++
		o.clock += 7
		s.Round()
	}
	return nil
}

// An Op with a clock of its own is called once, and its times are the samples.
func TestBlockOfAStamper(t *testing.T) {
	o := &own{}
	timed := newTimed(o.now)
	timed.counts = true
	if err := timed.block(o, 5, 4, 3); err != nil {
		t.Fatal(err)
	}
	if o.calls != 2 || o.events != 3+5*4 {
		t.Errorf("%d calls, %d events", o.calls, o.events)
	}
	for i := range 5 {
		if d := timed.stamps[i+1] - timed.stamps[i]; d != 28 {
			t.Errorf("sample %d took %d", i, d)
		}
	}
	if n := allocs.Count(100, func() { timed.block(o, 1000, 4, 3) }); n != 0 {
		t.Errorf("%v allocations in a block", n)
	}
}

// A rank that does not read the clock runs the same number of events.
func TestBlockWithoutClock(t *testing.T) {
	c := &counter{}
	if err := newTimed(nil).block(c, 5, 4, 3); err != nil {
		t.Fatal(err)
	}
	if c.calls != 2 || c.events != 3+5*4 {
		t.Errorf("%d calls, %d events", c.calls, c.events)
	}
}

func TestBlockStopsAtAnError(t *testing.T) {
	for fails := 1; fails <= 6; fails++ {
		c := &counter{fails: fails}
		timed := newTimed(c.now)
		timed.counts = true
		if err := timed.block(c, 5, 4, 3); err == nil || c.calls != fails {
			t.Errorf("error in call %d: %v after %d calls", fails, err, c.calls)
		}
	}
}

func TestBlockAllocatesNothing(t *testing.T) {
	c := &counter{}
	timed := newTimed(c.now)
	timed.counts = true
	if n := allocs.Count(100, func() { timed.block(c, 1000, 4, 3) }); n != 0 {
		t.Errorf("%v allocations in a block", n)
	}
}
