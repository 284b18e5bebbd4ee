package comm

import (
	"runtime"

	"gobench/device"
)

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

// persistent implements deferred for persistent requests.
type persistent struct {
	c         *Comm
	mode      mode
	send      bool
	buf       []byte
	peer, tag int
	under     Request // the message in progress; null if inactive
	started   bool
}

// SendInit creates a persistent request for a Send. It is inactive until Start. Each Start sends
// the current content of data, which the request owns while it is active.
func SendInit[T Type](c *Comm, data []T, dst, tag int) (Request, error) {
	return c.sendInit(standard, raw(data), dst, tag)
}

// SsendInit creates a persistent request for an Ssend.
func SsendInit[T Type](c *Comm, data []T, dst, tag int) (Request, error) {
	return c.sendInit(synchronous, raw(data), dst, tag)
}

// RsendInit creates a persistent request for an Rsend.
func RsendInit[T Type](c *Comm, data []T, dst, tag int) (Request, error) {
	return c.sendInit(ready, raw(data), dst, tag)
}

// BsendInit creates a persistent request for a Bsend.
func BsendInit[T Type](c *Comm, data []T, dst, tag int) (Request, error) {
	return c.sendInit(buffered, raw(data), dst, tag)
}

// RecvInit creates a persistent request for a Recv.
func RecvInit[T Type](c *Comm, data []T, src, tag int) (Request, error) {
	if err := c.checkRecv("recv", src, tag); err != nil {
		return Request{}, err
	}
	return Request{c: c, more: &persistent{c: c, buf: raw(data), peer: src, tag: tag}}, nil
}

func (c *Comm) sendInit(m mode, buf []byte, dst, tag int) (Request, error) {
	if err := c.checkSend(m.String(), dst, tag); err != nil {
		return Request{}, err
	}
	return Request{c: c, more: &persistent{c: c, mode: m, send: true, buf: buf, peer: dst, tag: tag}}, nil
}

// Start starts a persistent request. When it completes, it becomes inactive and can be started
// again. An inactive request needs no release.
func (r *Request) Start() error {
	p, ok := r.more.(*persistent)
	switch {
	case !ok:
		return ErrNotPersistent
	case p.started:
		return ErrActive
	}
	var err error
	if p.send {
		p.under, err = p.c.isend(p.mode, p.buf, p.peer, p.tag)
	} else {
		p.under, err = p.c.irecv(p.buf, p.peer, p.tag)
	}
	p.started = err == nil
	return err
}

// StartAll starts persistent requests in order. It stops at the first that cannot be started, and
// returns a *RequestError with its index.
func StartAll(requests []Request) error {
	i, err := startTogether(requests)
	for ; err == nil && i < len(requests); i++ {
		if err = requests[i].Start(); err != nil {
			break
		}
	}
	if err != nil {
		return &RequestError{i, err}
	}
	return nil
}

func (p *persistent) wait(uint64) (Status, error) {
	if !p.started {
		return nothing(), nil
	}
	p.started = false
	return p.under.Wait()
}

func (p *persistent) test(uint64) (Status, bool, error) {
	if !p.started {
		return nothing(), true, nil
	}
	status, done, err := p.under.Test()
	p.started = !done && err == nil
	return status, done, err
}

func (p *persistent) cancel(uint64) error { return p.under.Cancel() }
func (p *persistent) active() bool        { return p.started }
func (p *persistent) lasts() bool         { return true }

// WaitAll waits for all requests and stores their statuses in statuses unless that is nil. It
// completes all requests even if one fails; the *RequestError has the index of the first that
// failed.
func WaitAll(requests []Request, statuses []Status) error {
	if err := checkStatuses("waitall", requests, statuses); err != nil {
		return err
	}
	n, first := waitTogether(requests, statuses)
	for i := n; i < len(requests); i++ {
		status, err := requests[i].Wait()
		if err != nil && first == nil {
			first = &RequestError{i, err}
		}
		if statuses != nil {
			statuses[i] = status
		}
	}
	return first
}

// TestAll makes progress once for each request and reports whether all of them are complete. Unlike
// MPI_Testall, it completes some requests even if others are not complete, so statuses must be the
// same slice in every call until all are.
func TestAll(requests []Request, statuses []Status) (bool, error) {
	if err := checkStatuses("testall", requests, statuses); err != nil {
		return false, err
	}
	all := true
	for i := range requests {
		r := &requests[i]
		if !r.Active() {
			continue
		}
		status, done, err := r.Test()
		if err != nil {
			return false, &RequestError{i, err}
		}
		if done && statuses != nil {
			statuses[i] = status
		}
		all = all && done
	}
	return all, nil
}

// WaitAny waits for one of the requests and returns its index, or Undefined if none is active. If
// several are complete, successive calls return them in turn. A *RequestError has the index of a
// failed one.
func WaitAny(requests []Request) (int, Status, error) {
	if i := only(requests); i >= 0 { // Wait may sleep, which the loop below does not
		status, err := requests[i].Wait()
		if err != nil {
			err = &RequestError{i, err}
		}
		return i, status, err
	}
	for {
		i, status, done, err := TestAny(requests)
		if done || err != nil {
			return i, status, err
		}
		for _, r := range requests {
			if r.c != nil && r.c.engine.Shared() { // what it waits for may be another goroutine's
				runtime.Gosched()
				break
			}
		}
	}
}

// only returns the index of the only active request, or -1.
func only(requests []Request) int {
	found := -1
	for i := range requests {
		if requests[i].Active() {
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}

// TestAny is WaitAny, but tests every request only once.
func TestAny(requests []Request) (index int, status Status, done bool, err error) {
	first := 0
	for first < len(requests) && !requests[first].Active() {
		first++
	}
	if first == len(requests) {
		return Undefined, nothing(), true, nil
	}
	turn := uint(requests[first].c.job.turn.Load())
	for k := range requests {
		i := int((turn + uint(k)) % uint(len(requests)))
		r := &requests[i]
		if !r.Active() {
			continue
		}
		j := r.c.job
		status, done, err := r.Test()
		if done || err != nil {
			j.turn.Store(int64(i + 1))
			if err != nil {
				err = &RequestError{i, err}
			}
			return i, status, done, err
		}
	}
	return Undefined, Status{}, false, nil
}

// WaitSome waits for at least one of the requests. It returns the indices of all that are complete,
// in any order and in the memory of done, and stores their statuses, unless statuses is nil, at
// these indices. It returns none if no request is active. A *RequestError has the index of a failed
// one; what it returns beside it is complete.
func WaitSome(requests []Request, done []int, statuses []Status) ([]int, error) {
	done = done[:0]
	if err := checkStatuses("waitsome", requests, statuses); err != nil {
		return done, err
	}
	i, status, err := WaitAny(requests)
	if i == Undefined || err != nil {
		return done, err
	}
	if statuses != nil {
		statuses[i] = status
	}
	return testSome(requests, append(done, i), statuses)
}

// TestSome is WaitSome, but tests every request only once: it may return none although requests are
// active. Then Request.Active is true for one of them at least.
func TestSome(requests []Request, done []int, statuses []Status) ([]int, error) {
	done = done[:0]
	if err := checkStatuses("testsome", requests, statuses); err != nil {
		return done, err
	}
	return testSome(requests, done, statuses)
}

// testSome appends to done.
func testSome(requests []Request, done []int, statuses []Status) ([]int, error) {
	for i := range requests {
		if !requests[i].Active() {
			continue
		}
		status, complete, err := requests[i].Test()
		if err != nil {
			return done, &RequestError{i, err}
		}
		if !complete {
			continue
		}
		done = append(done, i)
		if statuses != nil {
			statuses[i] = status
		}
	}
	return done, nil
}

func checkStatuses(op string, requests []Request, statuses []Status) error {
	if statuses != nil && len(statuses) != len(requests) {
		return &ArgumentError{op, "the number of statuses", len(statuses), "none or one for each request"}
	}
	return nil
}
