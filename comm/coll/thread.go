package coll

import (
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"gobench/internal/blocking"
)

// A thread advances operations while the owner of the device computes. It polls, sleeps between
// polls after a while without progress, and blocks while no operation is in progress.
type thread struct {
	e    *Engine
	runs atomic.Bool // it is started with the first operation
	wake chan struct{}
	quit chan struct{}
	done chan struct{}
}

const (
	threadPolls = 200                   // polls without progress before the first sleep
	threadSleep = 30 * time.Microsecond // between polls after that
)

func newThread(e *Engine) *thread {
	return &thread{e: e, wake: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{})}
}

// begin wakes the thread. An owner calls it when an operation is in progress.
func (t *thread) begin() {
	if !t.runs.Swap(true) {
		go t.run()
	}
	select {
	case t.wake <- struct{}{}:
	default: // it is awake, or will be
	}
}

func (t *thread) end() {
	close(t.quit)
	if t.runs.Load() {
		<-t.done
	}
}

func (t *thread) run() {
	runtime.LockOSThread() // and never unlocked: the thread ends with us
	setTimerSlack()
	defer close(t.done)
	for {
		select {
		case <-t.quit:
			return
		case <-t.wake:
		}
		t.serve()
	}
}

// serve advances operations until all are done, or the thread is to end.
func (t *thread) serve() {
	for misses := 0; ; {
		select {
		case <-t.quit:
			return
		default:
		}
		if !t.e.lock.try() {
			// The owner uses the device and advances all operations itself.
			sleep(threadSleep)
			continue
		}
		none := len(t.e.live) == 0
		moved := !none && t.e.advance()
		t.e.lock.give()
		switch {
		case none:
			return
		case moved:
			misses = 0
			continue
		}
		if misses++; misses > threadPolls {
			sleep(threadSleep)
		}
	}
}

// sleep sleeps for some microseconds. time.Sleep rounds times below a millisecond up to one
// when all of Go's processors are idle (netpoll waits in milliseconds).
func sleep(d time.Duration) {
	t := unix.NsecToTimespec(int64(d))
	unix.Nanosleep(&t, nil)
}

// setTimerSlack sets the timer slack of the calling thread to a microsecond instead of the default
// of fifty.
func setTimerSlack() {
	unix.Prctl(unix.PR_SET_TIMERSLACK, 1000, 0, 0, 0)
}

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
