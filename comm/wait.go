package comm

import "runtime"

// WaitAll waits for all requests and stores their statuses in statuses unless that is nil. It
// completes all requests even if one fails; the *RequestError has the index of the first that
// failed.
func WaitAll(requests []Request, statuses []Status) error {
	if err := checkStatuses("waitall", requests, statuses); err != nil {
		return err
	}
	var first error
	for i := range requests {
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

func checkStatuses(op string, requests []Request, statuses []Status) error {
	if statuses != nil && len(statuses) != len(requests) {
		return &ArgumentError{op, "the number of statuses", len(statuses), "none or one for each request"}
	}
	return nil
}
