package coll

import (
	"sync/atomic"
	"time"

	"gobench/internal/blocking"
)

// A lock passes the device between its owners and the progress thread. It is held only while
// operations advance, so an owner spins. The thread, and owners that wait for an operation, never
// wait for it.
type lock struct {
	taken  atomic.Bool
	wanted atomic.Int32 // owners that wait for it: who polls only does not take it
}

// take waits for the lock. Only owners call it; there are others if many is set.
func (l *lock) take(many bool) {
	if l.taken.CompareAndSwap(false, true) {
		return
	}
	l.wanted.Add(1)
	for i := 1; l.taken.Load() || !l.taken.CompareAndSwap(false, true); i++ {
		switch {
		case i%lockSpins > 0:
		case many:
			blocking.Yield(true)
		default:
			// The thread copies or reduces a long vector, or was preempted, perhaps by this
			// rank, which must then yield the processor.
			sleep(lockSleep)
		}
	}
	l.wanted.Add(-1)
}

const (
	lockSpins = 500
	lockSleep = 10 * time.Microsecond
)

// try takes the lock if it is free and no owner wants it, for a poll.
func (l *lock) try() bool {
	return l.wanted.Load() == 0 && !l.taken.Load() && l.taken.CompareAndSwap(false, true)
}

func (l *lock) give() { l.taken.Store(false) }
