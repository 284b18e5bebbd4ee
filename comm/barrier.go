package comm

import "gobench/comm/schedule"

// Barrier returns when all ranks have called it.
func Barrier(c *Comm) error { return c.do(barrier(c)) }

// Ibarrier starts a Barrier. The request is complete when all ranks have started
// theirs.
func Ibarrier(c *Comm) (Request, error) { return c.start(barrier(c)) }

func barrier(c *Comm) error {
	if err := c.checkOpen(); err != nil {
		return err
	}
	c.begin(schedule.Barrier, 1, 0, nil, nil)
	return nil
}
