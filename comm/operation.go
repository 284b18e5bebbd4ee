package comm

import (
	"gobench/comm/coll"
	"gobench/device"
)

// operation is a non-blocking collective. Records are used again; the
// generation tells one use from the next.
type operation struct {
	c          *Comm
	handle     coll.Handle
	generation uint64
	done       bool
	err        error
}

// start starts the operation that c.shape and c.call describe.
func (c *Comm) start() (Request, error) {
	j := c.job
	handle, err := c.runner.Start(&c.call)
	c.forget()
	if err != nil {
		return Request{}, err
	}
	var o *operation
	if n := len(j.idle); n > 0 {
		o = j.idle[n-1]
		j.idle = j.idle[:n-1]
	} else {
		o = &operation{generation: 1}
	}
	o.c, o.handle, o.done, o.err = c, handle, false, nil
	j.under = append(j.under, o)
	return Request{c: c, more: o, id: o.generation}, nil
}

// advance does what can be done without waiting and reports whether the
// operation is complete.
func (o *operation) advance() bool {
	o.done, o.err = o.c.runner.Test(o.handle)
	o.done = o.done || o.err != nil
	return o.done
}

// busy reports whether operations of a communicator are under way.
func (j *job) busy(c *Comm) bool {
	for _, o := range j.under {
		if o.c == c {
			return true
		}
	}
	return false
}

func (o *operation) wait(id uint64) (Status, error) {
	if id != o.generation {
		return Status{}, device.ErrRequest
	}
	j := o.c.job
	for !o.done {
		if len(j.under) > 1 {
			j.progress()
			continue
		}
		// Waiting must not move it on a second time from inside.
		j.under[0] = nil
		j.under = j.under[:0]
		o.done, o.err = true, o.c.runner.Wait(o.handle)
	}
	return nothing(), o.release()
}

func (o *operation) test(id uint64) (Status, bool, error) {
	if id != o.generation {
		return Status{}, false, device.ErrRequest
	}
	o.c.job.progress()
	if !o.done {
		return Status{}, false, nil
	}
	return nothing(), true, o.release()
}

// release gives the result, and the record back.
func (o *operation) release() error {
	j, err := o.c.job, o.err
	o.generation++
	o.c, o.err = nil, nil
	j.idle = append(j.idle, o)
	return err
}

func (o *operation) cancel(uint64) error { return ErrNoCancel }
func (o *operation) active() bool        { return true }
func (o *operation) lasts() bool         { return false }
