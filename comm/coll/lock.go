package coll

import (
	"runtime"
	"sync/atomic"
	"time"
)

// lock hands the device to and fro between its owner and the engine's thread. It
// is held for as long as operations take to move on, which is short, so the
// owner spins; the thread never waits for it.
type lock struct {
	taken  atomic.Bool
	wanted atomic.Bool // by the owner: the thread stays away
}

// take waits for the lock. Only the owner does.
func (l *lock) take() {
	if l.taken.CompareAndSwap(false, true) {
		return
	}
	l.wanted.Store(true)
	for i := 1; !l.taken.CompareAndSwap(false, true); i++ {
		// The thread may have lost its processor to this very one.
		switch {
		case i > 10_000:
			time.Sleep(10 * time.Microsecond)
		case i > 1_000:
			runtime.Gosched()
		}
	}
	l.wanted.Store(false)
}

// try takes the lock if nobody has it or wants it. Only the thread does.
func (l *lock) try() bool {
	return !l.wanted.Load() && l.taken.CompareAndSwap(false, true)
}

func (l *lock) give() { l.taken.Store(false) }
