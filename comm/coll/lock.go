package coll

import (
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
	for i := 1; l.taken.Load() || !l.taken.CompareAndSwap(false, true); i++ {
		if i%lockSpins == 0 {
			// The thread copies or reduces much, or it has lost its processor, perhaps to
			// this very rank, which must then get out of its way.
			nap(lockNap)
		}
	}
	l.wanted.Store(false)
}

const (
	lockSpins = 500
	lockNap   = 10 * time.Microsecond
)

// try takes the lock if nobody has it or wants it. Only the thread does.
func (l *lock) try() bool {
	return !l.wanted.Load() && l.taken.CompareAndSwap(false, true)
}

func (l *lock) give() { l.taken.Store(false) }
