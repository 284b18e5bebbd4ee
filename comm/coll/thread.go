package coll

import (
	"runtime"
	"time"
)

// thread moves operations on while the owner of the device computes. It polls
// for a while, naps between polls while nothing moves, and sleeps while nothing is
// under way.
type thread struct {
	e    *Engine
	runs bool // it is started with the first operation
	wake chan struct{}
	quit chan struct{}
	gone chan struct{}
}

const (
	threadPolls = 200                   // polls without progress before the first nap
	threadNap   = 30 * time.Microsecond // between polls after that
)

func newThread(e *Engine) *thread {
	return &thread{e: e, wake: make(chan struct{}, 1), quit: make(chan struct{}), gone: make(chan struct{})}
}

// begin wakes the thread. The owner calls it when there is something to move on.
func (t *thread) begin() {
	if !t.runs {
		t.runs = true
		go t.run()
	}
	select {
	case t.wake <- struct{}{}:
	default: // it is awake, or will be
	}
}

func (t *thread) end() {
	close(t.quit)
	if t.runs {
		<-t.gone
	}
}

func (t *thread) run() {
	runtime.LockOSThread() // and never unlocked: the thread ends with us
	sharpNaps()
	defer close(t.gone)
	for {
		select {
		case <-t.quit:
			return
		case <-t.wake:
		}
		t.serve()
	}
}

// serve moves operations on until all are done.
func (t *thread) serve() {
	for misses := 0; ; {
		if !t.e.lock.try() {
			// The owner is at the device and moves everything on itself.
			nap(threadNap)
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
			nap(threadNap)
		}
	}
}
