package protocol

// A wire may not call its sink in Put or Get, so what completes there, or fails, waits for the next
// Poll, in order.
//
// Completions queues completed puts and gets until the wire's next Poll reports them.
type Completions struct{ list []completion }

// completion is a call of Sink.Completed that is due.
type completion struct {
	token uint64
	err   error
}

// Add adds a completed transfer.
func (c *Completions) Add(token uint64, err error) {
	c.list = append(c.list, completion{token, err})
}

// Len returns the number of completions not reported yet.
func (c *Completions) Len() int { return len(c.list) }

// Report passes all completions to the sink, which may add further ones, and reports whether there
// were any.
func (c *Completions) Report(sink Sink) bool {
	if len(c.list) == 0 {
		return false
	}
	for i := 0; i < len(c.list); i++ {
		sink.Completed(c.list[i].token, c.list[i].err)
	}
	c.list = c.list[:0]
	return true
}
