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
