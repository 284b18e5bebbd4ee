package comm

import (
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
	turn   int          // the index that WaitAny and TestAny test first
}

// wait waits for a request of the device.
func (j *job) wait(q device.Request) (device.Status, error) {
	if j.engine.Busy() {
		return j.engine.Wait(q)
	}
	return j.dev.Wait(q)
}

// test tests a request of the device.
func (j *job) test(q device.Request) (device.Status, bool, error) {
	if j.engine.Busy() {
		return j.engine.Test(q)
	}
	return j.dev.Test(q)
}
