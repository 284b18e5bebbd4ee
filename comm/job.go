package comm

import (
	"sync/atomic"

	"gobench/comm/coll"
	"gobench/device"
)

// A job holds the state shared by all communicators over one device.
type job struct {
	dev    device.Device
	engine *coll.Engine // progresses non-blocking collectives; while it is busy it guards dev
	open   int          // open communicators
	next   int32        // the lowest context that no communicator of this rank has used
	last   int32        // the greatest context of the device
	turn   atomic.Int64 // the index that WaitAny and TestAny test first
}

// wait waits for a request of the device.
func (c *Comm) wait(q device.Request) (Status, error) {
	if c.engine.Busy() {
		s, err := c.engine.Wait(q)
		return c.status(s), err
	}
	s, err := c.dev.Wait(q)
	return c.status(s), err
}

// test tests a request of the device.
func (c *Comm) test(q device.Request) (s device.Status, done bool, err error) {
	if c.engine.Busy() {
		return c.engine.Test(q)
	}
	return c.dev.Test(q)
}
