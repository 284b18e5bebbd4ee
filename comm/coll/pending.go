package coll

import (
	"gobench/comm/schedule"
	"gobench/device"
)

// A Handle identifies a non-blocking operation. It is released by the Wait or Test that finds the
// operation done. The zero Handle is never valid.
type Handle uint64

// pending holds the operations that were started and not yet released.
type pending struct {
	slots []*operation // by the lower half of the handle
	free  []uint32
}

// Start begins an operation and returns immediately. The buffers belong to the operation until it
// is done; the Shape may be reused then. Only message algorithms are used, because those in shared
// memory block. All ranks must start the operations of a communicator, blocking ones included, in
// the same order.
//
// The first operation of a library on a communicator creates a group in it, for which Start waits
// until all ranks have started it.
//
// Errors of planning, such as a *FitError, are returned by Wait or Test.
func (r *Runner) Start(c *schedule.Call) (Handle, error) {
	if r.closed {
		return 0, device.ErrClosed
	}
	e := r.engine
	e.acquire() // from the first operation on, the progress thread uses the device
	i, o := r.pending.take(r)
	o.begin(c, true)
	o.advance(false)
	e.open.Add(1)
	if !o.done {
		e.live = append(e.live, o)
	}
	e.advance()
	waiting := len(e.live) > 0
	e.Unlock()
	if waiting && e.work != nil {
		e.work.begin()
	}
	return Handle(i) | Handle(o.generation)<<32, nil
}

// take returns a free slot and its operation.
func (q *pending) take(r *Runner) (uint32, *operation) {
	if n := len(q.free); n > 0 {
		i := q.free[n-1]
		q.free = q.free[:n-1]
		o := q.slots[i]
		o.generation++
		return i, o
	}
	o := r.newOperation()
	o.generation = 1
	q.slots = append(q.slots, o)
	return uint32(len(q.slots) - 1), o
}

// lookup returns the operation of a handle, or nil if the handle is not live.
func (q *pending) lookup(h Handle) *operation {
	i, generation := uint32(h), uint32(h>>32)
	if int(i) >= len(q.slots) || q.slots[i].generation != generation || generation&1 == 0 {
		return nil
	}
	return q.slots[i]
}

// release frees the slot and returns the error of the operation.
func (r *Runner) release(h Handle, o *operation) error {
	err := o.err
	o.err = nil
	o.generation++ // even: free
	r.pending.free = append(r.pending.free, uint32(h))
	r.engine.open.Add(-1)
	return err
}

// Test advances operations once and reports whether this one is done, in which case
// the handle is released. It returns device.ErrRequest for a handle that is not live.
func (r *Runner) Test(h Handle) (bool, error) {
	e := r.engine
	e.Lock()
	defer e.Unlock()
	o := r.pending.lookup(h)
	if o == nil {
		return false, device.ErrRequest
	}
	if !o.done {
		e.advance()
	}
	if !o.done {
		return false, nil
	}
	return true, r.release(h, o)
}

// Wait returns when the operation is done and releases the handle.
func (r *Runner) Wait(h Handle) error {
	r.engine.Lock()
	defer r.engine.Unlock()
	o := r.pending.lookup(h)
	if o == nil {
		return device.ErrRequest
	}
	r.await(o)
	return r.release(h, o)
}

// await advances operations until o is done.
func (r *Runner) await(o *operation) {
	e := r.engine
	w := e.waits()
	for !o.done {
		if !e.many && len(e.live) == 1 && e.live[0] == o {
			// Nothing else is in progress, so the operation can block in the device, which is
			// fastest.
			o.advance(true)
			e.drop(o)
			return
		}
		e.turn(w)
	}
}

// finish waits for all operations in progress and returns the first error.
func (r *Runner) finish() error {
	var first error
	for i, o := range r.pending.slots {
		if o.generation&1 == 1 {
			if err := r.Wait(Handle(i) | Handle(o.generation)<<32); first == nil {
				first = err
			}
		}
	}
	return first
}
