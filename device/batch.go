package device

// A Batcher is a Channel that starts several operations, or completes several requests, in one call
// of its library. A call of C from Go costs as much as a short message.
type Batcher interface {
	Channel
	// StartAll starts operations in order, and stores their requests in requests, which is as long
	// as ops. It stops at the first that it cannot start, and returns its error and the number of
	// those before it, whose requests are live.
	StartAll(ops []Operation, requests []Request) (started int, err error)
	// WaitAll waits for all requests, releases them, and stores their statuses, unless statuses is
	// nil, in statuses, which is as long as requests. It completes all of them even if some fail,
	// and returns the index and the error of the first that failed. A request that is not live
	// fails, and so does one that is there a second time.
	WaitAll(requests []Request, statuses []Status) (failed int, err error)
}

// An Operation holds the arguments of an Isend or Irecv.
type Operation struct {
	Buf          []byte
	Peer         int // destination or source
	Tag, Context int32
	Receives     bool
}

// Start starts the operation alone.
func (o *Operation) Start(c Channel) (Request, error) {
	if o.Receives {
		return c.Irecv(o.Buf, o.Peer, o.Tag, o.Context)
	}
	return c.Isend(o.Buf, o.Peer, o.Tag, o.Context)
}

// StartEach is Batcher.StartAll by a call for each operation.
func StartEach(c Channel, ops []Operation, requests []Request) (started int, err error) {
	for i := range ops {
		if requests[i], err = ops[i].Start(c); err != nil {
			return i, err
		}
	}
	return len(ops), nil
}

// WaitEach is Batcher.WaitAll by a call for each request.
func WaitEach(c Channel, requests []Request, statuses []Status) (failed int, err error) {
	for i, q := range requests {
		status, e := c.Wait(q)
		if e != nil && err == nil {
			failed, err = i, e
		}
		if statuses != nil {
			statuses[i] = status
		}
	}
	return failed, err
}
