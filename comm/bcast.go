package comm

import "gobench/comm/schedule"

// Bcast copies the root's data to all ranks. All slices have the same length.
func Bcast[T Type](c *Comm, data []T, root int) error { return c.do(bcast(c, data, root)) }

// Ibcast starts a Bcast.
func Ibcast[T Type](c *Comm, data []T, root int) (Request, error) {
	return c.start(bcast(c, data, root))
}

func bcast[T Type](c *Comm, data []T, root int) error {
	if err := c.checkRoot(schedule.Bcast, root); err != nil {
		return err
	}
	b := raw(data)
	c.begin(schedule.Bcast, size[T](), len(b), nil, b)
	c.shape.Root = root
	return nil
}
