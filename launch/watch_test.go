package launch

import (
	"testing"
	"testing/synctest"
	"time"

	"gobench/launch/signals"
)

// Time in which the launcher is stopped is no time that ranks were given.
func TestStoppedTimeIsNotTheRanks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWatch(Spec{Linger: 5 * time.Second}, nil, &signals.Stops{}, nil, 0, nil, nil)
		begin := time.Now()
		w.linger()
		time.Sleep(3 * time.Second)
		time.Sleep(60 * time.Second) // stopped: the timer has run out meanwhile
		w.extend(60 * time.Second)
		<-w.timer.C
		if d := time.Since(begin); d != 65*time.Second {
			t.Errorf("ranks had %v, want 5 s and the 60 s of the stop", d)
		}
		w.stage = killing
		w.extend(time.Second)
		if w.timer.Stop() {
			t.Error("the timer runs though nothing is left to be done")
		}
	})
}
