package comm

import "gobench/device"

// A Request is the handle of an operation in progress, a message or a collective. It is a plain
// value, so starting an operation allocates nothing. The zero value is the null request, which is
// complete.
//
// A completed request becomes the null request, or inactive if it is persistent. Using an old copy
// of it returns device.ErrRequest, but those of a send that was complete when it started are
// complete.
type Request struct {
	c    *Comm    // nil for the null request
	more deferred // nil for a request of the device
	id   uint64   // of the device, or of more; 0 if it was complete when it started
}

// deferred is implemented by operations that are more than a request of the device.
type deferred interface {
	wait(id uint64) (Status, error)
	test(id uint64) (Status, bool, error)
	cancel(id uint64) error
	active() bool // false for a persistent request that is not started
	lasts() bool  // persistent
}

// Wait waits until the operation is complete.
func (r *Request) Wait() (Status, error) {
	c, id := r.c, r.id
	switch {
	case c == nil:
		return nothing(), nil
	case r.more != nil:
		status, err := r.more.wait(id)
		r.completed()
		return status, err
	}
	r.c = nil
	if id == 0 {
		return nobody(), nil
	}
	return c.wait(device.Request(id))
}

// Test makes progress once and reports whether the operation is complete.
func (r *Request) Test() (Status, bool, error) {
	switch {
	case r.c == nil:
		return nothing(), true, nil
	case r.more != nil:
		status, done, err := r.more.test(r.id)
		if done || err != nil {
			r.completed()
		}
		return status, done, err
	case r.id == 0:
		*r = Request{}
		return nobody(), true, nil
	}
	c := r.c
	s, done, err := c.test(device.Request(r.id))
	if err == nil && !done {
		return Status{}, false, nil
	}
	*r = Request{}
	return c.status(s), true, err
}

// Cancel tries to cancel a message that is not matched yet. It does not wait, and the request must
// still be completed: Status.Cancelled then reports whether the message was cancelled. Collectives
// return ErrNoCancel.
func (r *Request) Cancel() error {
	switch {
	case r.more != nil:
		return r.more.cancel(r.id)
	case r.c == nil || r.id == 0:
		return nil
	}
	r.c.engine.Lock()
	defer r.c.engine.Unlock()
	return r.c.dev.Cancel(device.Request(r.id))
}

// Active reports whether the request has to be waited for. It is false for the null
// request and for a persistent one that is not started.
func (r *Request) Active() bool {
	return r.c != nil && (r.more == nil || r.more.active())
}

// completed makes the request the null request, unless it is persistent.
func (r *Request) completed() {
	if !r.more.lasts() {
		*r = Request{}
	}
}

// abandon ends a receive after an error.
func (r *Request) abandon() {
	r.Cancel()
	r.Wait()
}
