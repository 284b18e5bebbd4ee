package coll

import (
	"sync/atomic"
	"time"
)

// A lock passes the device between its owner and the progress thread. It is held only while
// operations advance, so the owner spins; the thread never waits for it.
type lock struct {
	taken  atomic.Bool
	wanted atomic.Bool // by the owner: the thread does not take it
}

// take waits for the lock. Only the owner calls it.
func (l *lock) take() {
	if l.taken.CompareAndSwap(false, true) {
		return
	}
	l.wanted.Store(true)
	for i := 1; l.taken.Load() || !l.taken.CompareAndSwap(false, true); i++ {
		if i%lockSpins == 0 {
			// The thread copies or reduces a long vector, or was preempted, perhaps by this
			// rank, which must then yield the processor.
			sleep(lockSleep)
		}
	}
	l.wanted.Store(false)
}

const (
	lockSpins = 500
	lockSleep = 10 * time.Microsecond
)

// try takes the lock if it is free and the owner does not want it. Only the thread calls it.
func (l *lock) try() bool {
	return !l.wanted.Load() && l.taken.CompareAndSwap(false, true)
}

func (l *lock) give() { l.taken.Store(false) }
