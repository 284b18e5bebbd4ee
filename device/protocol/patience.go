package protocol

import (
	"runtime"
	"syscall"
	"time"

	"gobench/device"
)

// patience is how a rank waits: it polls without a break while an answer is
// near, then gives the processor up between polls, and in the end sleeps. Where ranks
// outnumber processors the peer that is waited for may need this very
// processor, so there the first phase is short.
type patience struct {
	polls   int           // without a break
	yields  time.Duration // giving way between polls, before sleeping
	nap     time.Duration
	crowded bool // ranks outnumber processors
	shared  bool // other goroutines of this process must get on: ranks, or a wire's readers
}

// processors is how many of the local ranks can run at a time.
func processors(shared bool) int {
	if shared {
		return min(runtime.NumCPU(), runtime.GOMAXPROCS(0))
	}
	return runtime.NumCPU()
}

func newPatience(wait string, localSize int, shared bool) patience {
	crowded := wait == "yield" || wait == "auto" && localSize > processors(shared)
	if crowded && shared {
		// Giving way to another goroutine costs less than another unsuccessful poll, and
		// whoever has something to do gets on: a nap would only make others wait.
		return patience{polls: 1, yields: 20 * time.Millisecond, nap: 100 * time.Microsecond, crowded: true, shared: true}
	}
	one := runtime.GOMAXPROCS(0) == 1 // then a wire's own goroutines need it too
	if crowded {
		return patience{polls: 20, yields: 200 * time.Microsecond, nap: 100 * time.Microsecond, crowded: true, shared: one}
	}
	return patience{polls: 2_000, yields: 20 * time.Millisecond, nap: 50 * time.Microsecond, shared: shared || one}
}

func (p patience) String() string {
	if p.crowded {
		return "yield"
	}
	return "spin"
}

// idlePeriod is how often a waiting rank lets its wire look for dead peers.
const idlePeriod = 10 * time.Millisecond

// pollMiss must be called after a poll that delivered nothing. Early in a wait it returns at once;
// later it yields or sleeps, and returns the time.
func (p *patience) pollMiss(w *device.WaitState) (now time.Time, gaveWay bool) {
	w.Polls++
	if w.Polls < p.polls {
		return now, false
	}
	now = time.Now()
	if w.Polls == p.polls {
		w.Since = now
	}
	if now.Sub(w.Since) < p.yields {
		p.giveWay()
	} else {
		time.Sleep(p.nap)
	}
	return now, true
}

// giveWay lets others run: another process on this processor may be a rank,
// and so may another goroutine of this process. Making way for a goroutine
// costs a goroutine that is locked to its thread two thread switches and
// sometimes a new thread, far more than a message takes: two ranks that wait
// for each other like that would never get fast again. So it is done only where
// ranks are goroutines.
func (p *patience) giveWay() {
	if p.shared {
		runtime.Gosched()
	}
	syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0)
}
