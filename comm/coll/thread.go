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
	wake chan struct{}
	quit chan struct{}
	gone chan struct{}
}

const (
	threadPolls = 200                   // in vain, before the first nap
	threadNap   = 30 * time.Microsecond // between polls after that
)

func newThread(e *Engine) *thread {
	t := &thread{e, make(chan struct{}, 1), make(chan struct{}), make(chan struct{})}
	go t.run()
	return t
}

// begin wakes the thread. The owner calls it when there is something to move on.
func (t *thread) begin() {
	select {
	case t.wake <- struct{}{}:
	default: // it is awake, or will be
	}
}

func (t *thread) end() {
	close(t.quit)
	<-t.gone
}

func (t *thread) run() {
	runtime.LockOSThread()
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
	for vain := 0; ; {
		if !t.e.lock.try() {
			// The owner is at the device and moves everything on itself.
			time.Sleep(threadNap)
			continue
		}
		none := len(t.e.live) == 0
		moved := !none && t.e.advance()
		t.e.lock.give()
		switch {
		case none:
			return
		case moved:
			vain = 0
			continue
		}
		if vain++; vain > threadPolls {
			time.Sleep(threadNap)
		}
	}
}
