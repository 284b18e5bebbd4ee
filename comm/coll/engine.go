package coll

import "gobench/device"

// Engine moves on the non-blocking collective operations of all communicators over
// one device, as MPI's rule of progress asks for: whatever call is made, all
// operations under way get on. Their Runners share it (Options.Engine).
//
// While Busy, a device call that does not come from a Runner must be made between
// Enter and Leave, because a thread may be using the device; and it must not be one
// that waits in the device, because what is waited for may depend on an operation
// that this rank has to move on: start it, and wait with Engine.Wait. While not Busy,
// nothing of that is needed, and Enter and Leave cost one branch each.
//
// An Engine belongs to the goroutine that owns the device.
type Engine struct {
	dev  device.Device
	rest rest
	wait device.WaitState // of the owner's call
	open int              // operations that were started and not yet released
	live []*operation     // those that are not done, oldest first
	lock lock
	held bool    // by the owner
	work *thread // nil: progress is made in calls only
}

// NewEngine makes the engine of a device.
func NewEngine(dev device.Device, p Progress) *Engine {
	e := &Engine{dev: dev, rest: newRest(dev)}
	if p.settle(dev.Size()) == ProgressThread {
		e.work = newThread(e)
	}
	return e
}

// Busy reports whether operations were started and not yet waited for.
func (e *Engine) Busy() bool { return e.open > 0 }

// Mode is ProgressCalls or ProgressThread: what is in force.
func (e *Engine) Mode() Progress {
	if e.work != nil {
		return ProgressThread
	}
	return ProgressCalls
}

// Enter takes the device for the calling goroutine, Leave gives it back. They do not
// nest.
func (e *Engine) Enter() {
	if e.open > 0 {
		e.enter()
	}
}

// Leave ends what Enter began.
func (e *Engine) Leave() {
	if e.held {
		e.leave()
	}
}

// enter takes the device, if there is a thread from which to take it.
func (e *Engine) enter() {
	if e.work != nil {
		e.lock.take()
		e.held = true
	}
}

func (e *Engine) leave() {
	e.held = false
	e.lock.give()
}

// Progress moves all operations on once. The caller is between Enter and Leave.
func (e *Engine) Progress() { e.advance() }

// Wait waits for a request of the device and meanwhile moves operations on.
func (e *Engine) Wait(q device.Request) (device.Status, error) {
	e.Enter()
	defer e.Leave()
	return e.waitFor(q)
}

// waitFor is Wait of a caller that has the device.
func (e *Engine) waitFor(q device.Request) (device.Status, error) {
	w := e.waits()
	for len(e.live) > 0 {
		if status, done, err := e.dev.Test(q); done || err != nil {
			return status, err
		}
		e.turn(w)
	}
	return e.dev.Wait(q)
}

// Test tests a request of the device, and moves operations on.
func (e *Engine) Test(q device.Request) (device.Status, bool, error) {
	e.Enter()
	defer e.Leave()
	e.advance()
	return e.dev.Test(q)
}

// waits begins a wait of the owner.
func (e *Engine) waits() *device.WaitState {
	e.wait = device.WaitState{}
	return &e.wait
}

// turn moves operations on and rests a little if none moved.
func (e *Engine) turn(w *device.WaitState) {
	if e.advance() {
		w.Polls = 0
		return
	}
	e.rest.pollMiss(w)
}

// advance moves every operation on as far as it gets without waiting, the oldest first, and
// reports whether any moved.
func (e *Engine) advance() bool {
	moved := false
	kept := e.live[:0]
	for _, o := range e.live {
		before := o.position()
		o.advance(false)
		if o.done {
			moved = true
			continue
		}
		moved = moved || o.position() != before
		kept = append(kept, o)
	}
	clear(e.live[len(kept):])
	e.live = kept
	return moved
}

// drop forgets an operation that was ended by other means.
func (e *Engine) drop(o *operation) {
	kept := e.live[:0]
	for _, other := range e.live {
		if other != o {
			kept = append(kept, other)
		}
	}
	clear(e.live[len(kept):])
	e.live = kept
}

// Close ends the thread. All Runners are closed before.
func (e *Engine) Close() {
	if e.work != nil {
		e.work.end()
		e.work = nil
	}
}
