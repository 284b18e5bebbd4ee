package blocking

import (
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// An owner that sleeps for long sees everything that wakers publish, and each Announce is claimed by
// one waker at most.
func TestWord(t *testing.T) {
	const wakers, rounds, how = 3, 2000, 7
	var word Word
	var published, claims, withdrawn atomic.Int64
	var all sync.WaitGroup
	for range wakers {
		all.Go(func() {
			for range rounds {
				published.Add(1)
				switch got := word.Claim(); got {
				case 0:
				case how:
					claims.Add(1)
					word.Wake()
				default:
					t.Errorf("the owner sleeps in way %d, want %d", got, how)
				}
			}
		})
	}
	timeout := new(syscall.Timespec)
	for seen := int64(0); seen < wakers*rounds; {
		word.Announce(how)
		if now := published.Load(); now != seen {
			seen = now
		} else {
			word.Wait(how, time.Hour, timeout)
		}
		if word.Withdraw() {
			withdrawn.Add(1)
		}
	}
	all.Wait()
	if claims.Load() != withdrawn.Load() {
		t.Errorf("%d claims, of which the owner has seen %d", claims.Load(), withdrawn.Load())
	}
	if word.Claim() != 0 {
		t.Error("an owner that is awake can be woken")
	}
}
