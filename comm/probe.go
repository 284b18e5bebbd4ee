package comm

import "gobench/device"

// Probe waits for a message that a Recv with these arguments would match and
// returns its status, without receiving it.
func Probe(c *Comm, src, tag int) (Status, error) {
	from, ok := c.from(src, tag)
	if !ok {
		return nobody(), c.checkRecv("probe", src, tag)
	}
	if !c.engine.Busy() {
		s, err := c.dev.Probe(from, int32(tag), c.context)
		return c.status(s), err
	}
	var s device.Status
	var found bool
	var err error
	c.engine.Until(func() bool {
		s, found, err = c.dev.Iprobe(from, int32(tag), c.context)
		return found || err != nil
	})
	return c.status(s), err
}

// Iprobe makes progress once and reports whether there is such a message.
func Iprobe(c *Comm, src, tag int) (Status, bool, error) {
	from, ok := c.from(src, tag)
	if !ok {
		err := c.checkRecv("probe", src, tag)
		return nobody(), err == nil, err
	}
	c.engine.Lock()
	if c.engine.Busy() {
		c.engine.Progress()
	}
	s, found, err := c.dev.Iprobe(from, int32(tag), c.context)
	c.engine.Unlock()
	if !found {
		return Status{}, false, err
	}
	return c.status(s), true, err
}
