package comm

// Probe waits for a message that a Recv with these arguments would match and
// says what it is, without receiving it.
func Probe(c *Comm, src, tag int) (Status, error) {
	for c.job != nil && len(c.job.under) > 0 {
		if s, found, err := Iprobe(c, src, tag); found || err != nil {
			return s, err
		}
	}
	from, ok := c.from(src, tag)
	if !ok {
		return nobody(), c.checkRecv("probe", src, tag)
	}
	s, err := c.dev.Probe(from, int32(tag), c.context)
	return c.status(s), err
}

// Iprobe makes progress once and reports whether there is such a message.
func Iprobe(c *Comm, src, tag int) (Status, bool, error) {
	from, ok := c.from(src, tag)
	if !ok {
		err := c.checkRecv("probe", src, tag)
		return nobody(), err == nil, err
	}
	if len(c.job.under) > 0 {
		c.job.progress()
	}
	s, found, err := c.dev.Iprobe(from, int32(tag), c.context)
	if !found {
		return Status{}, false, err
	}
	return c.status(s), true, err
}
