package signals

import (
	"testing"
	"testing/synctest"
	"time"
)

// Time in which this process is stopped does not count.
func TestStoppedTimeDoesNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		stops := &Stops{}
		waited := make(chan time.Duration)
		go func() {
			stops.Wait(nil, 2*time.Second)
			waited <- time.Since(begin)
		}()
		time.Sleep(time.Second)
		stops.mark(time.Now())
		time.Sleep(10 * time.Second)
		synctest.Wait()
		stops.mark(time.Time{})
		if d := <-waited; d != 12*time.Second {
			t.Errorf("waited for %v, want 2 s and the 10 s of the stop", d)
		}
	})
}
