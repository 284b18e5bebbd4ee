package comm

import (
	"gobench/comm/coll"
	"gobench/device"
)

// job is what all communicators over one device have in common.
type job struct {
	dev    device.Device
	engine *coll.Engine // of non-blocking collectives; it says how dev is used while it is busy
	open   int          // communicators
	next   int32        // the first context that no communicator of this rank has had
	turn   int          // where WaitAny and TestAny look first
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
