package comm

import (
	"gobench/device"
)

// job is what all communicators over one device have in common.
type job struct {
	dev  device.Device
	next int32 // the first context that no communicator of this rank has had
	turn int   // where WaitAny and TestAny look first

	under []*operation // non-blocking collectives under way
	idle  []*operation // records to use again
}

// progress does what can be done for non-blocking collectives without waiting.
// Every call of this package that waits calls it while there are any, because a peer
// may need this rank's part before it sends what is waited for.
func (j *job) progress() {
	for i := 0; i < len(j.under); {
		o := j.under[i]
		if !o.advance() {
			i++
			continue
		}
		last := len(j.under) - 1
		j.under[i], j.under[last] = j.under[last], nil
		j.under = j.under[:last]
	}
}

// wait waits for a request of the device.
func (j *job) wait(q device.Request) (device.Status, error) {
	for len(j.under) > 0 {
		if status, done, err := j.dev.Test(q); done || err != nil {
			return status, err
		}
		j.progress()
	}
	return j.dev.Wait(q)
}
