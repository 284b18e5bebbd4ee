package protocol

// Completions holds the ends of puts and gets until the next Poll of their wire reports them.
type Completions struct{ list []completion }

type completion struct {
	token uint64
	err   error
}

// Add adds the end of a transfer.
func (c *Completions) Add(token uint64, err error) {
	c.list = append(c.list, completion{token, err})
}

// Len returns the number of ends that are not reported yet.
func (c *Completions) Len() int { return len(c.list) }

// Report reports all ends to the sink, which may add further ones, and returns whether there were
// any.
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
