package coll

import (
	"gobench/comm/coll/shared"
	"gobench/comm/schedule"
	"gobench/device"
)

// Handle is a non-blocking operation: a plain value. It is released by the Wait or
// Test that finds the operation done; the zero Handle is never valid.
type Handle uint64

// operation is one place for an operation that was started.
type operation struct {
	run        *schedule.Execution
	generation uint32 // of the handle; odd while the place is taken
	kind       schedule.Kind
	done       bool
	err        error
}

// pending are the operations that were started and not yet waited for.
type pending struct {
	r      *Runner
	places []*operation
	free   []uint32
	live   []uint32 // not done, oldest first
	plans  cache    // of messages only
}

// Start begins an operation and returns at once. The buffers belong to it until it
// is done. Every call of the Runner moves on all operations under way.
func (r *Runner) Start(c *shared.Call) (Handle, error) {
	q := &r.pending
	if r.options.Check == CheckStrict {
		if err := r.agree(c); err != nil {
			return 0, err
		}
	}
	p := q.plans.find(c.Shape)
	if p == nil {
		var err error
		if p, err = r.plan(c.Shape, true); err != nil {
			return 0, err
		}
		q.plans.keep(p)
	}
	r.last[c.Shape.Kind] = p
	i, o := q.take()
	o.kind, o.done, o.err = c.Shape.Kind, false, nil
	o.run.Start(p.program, c.Send, c.Recv, c.Op, r.nextTag())
	q.live = append(q.live, i)
	q.advance()
	return Handle(i) | Handle(o.generation)<<32, nil
}

// take finds a free place.
func (q *pending) take() (uint32, *operation) {
	if n := len(q.free); n > 0 {
		i := q.free[n-1]
		q.free = q.free[:n-1]
		o := q.places[i]
		o.generation++
		return i, o
	}
	o := &operation{run: schedule.NewExecution(q.r.dev, q.r.context, q.r.world), generation: 1}
	q.places = append(q.places, o)
	return uint32(len(q.places) - 1), o
}

// advance moves every operation on as far as it gets without waiting.
func (q *pending) advance() {
	kept := q.live[:0]
	for _, i := range q.live {
		o := q.places[i]
		if o.done, o.err = o.run.Advance(); !o.done {
			kept = append(kept, i)
		}
	}
	q.live = kept
}

// lookup finds the operation of a handle, nil if it is not live.
func (q *pending) lookup(h Handle) (uint32, *operation) {
	i := uint32(h)
	if int(i) >= len(q.places) || q.places[i].generation != uint32(h>>32) || uint32(h>>32)&1 == 0 {
		return 0, nil
	}
	return i, q.places[i]
}

// release gives a place back and returns what became of its operation.
func (q *pending) release(i uint32, o *operation) error {
	err := o.err
	if err != nil {
		err = q.r.explain(&shared.Call{Shape: &schedule.Shape{Kind: o.kind}}, err)
	}
	o.err = nil
	o.generation++ // even: free
	q.free = append(q.free, i)
	return err
}

// Test moves operations on and reports whether this one is done, in which case
// the handle is released. It returns device.ErrRequest for a handle that is not live.
func (r *Runner) Test(h Handle) (bool, error) {
	i, o := r.pending.lookup(h)
	if o == nil {
		return false, device.ErrRequest
	}
	if !o.done {
		r.pending.advance()
	}
	if !o.done {
		return false, nil
	}
	return true, r.pending.release(i, o)
}

// Wait returns when the operation is done and releases the handle.
func (r *Runner) Wait(h Handle) error {
	q := &r.pending
	i, o := q.lookup(h)
	if o == nil {
		return device.ErrRequest
	}
	if !o.done && len(q.live) == 1 {
		// Nothing else is under way: waiting in the device is the shortest way.
		o.err = o.run.Run()
		o.done = true
		q.live = q.live[:0]
	}
	for !o.done {
		q.advance()
	}
	return q.release(i, o)
}

// finish waits for everything under way.
func (q *pending) finish() error {
	var first error
	for len(q.live) > 0 {
		q.advance()
	}
	for i, o := range q.places {
		if o.generation&1 == 1 {
			if err := q.release(uint32(i), o); first == nil {
				first = err
			}
		}
	}
	return first
}
