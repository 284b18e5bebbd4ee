package experiment

import (
	"context"
	"time"

	"gobench/internal/launch/signals"
)

// interrupts ends the waits of c some time after a signal has asked this process to end, if c can.
// In that time the ranks end together, which keeps the samples of the current cell; a rank that is
// stopped, or waits for something else, cannot take part. The caller calls end when it has closed
// c.
func (at location) interrupts(c any) (end func() bool) {
	waits, ok := c.(interface{ Interrupt(cause error) }) // a device.Interrupter, or a *pair.Meter
	if !ok {
		return func() bool { return false }
	}
	return context.AfterFunc(at.signals, func() {
		time.AfterFunc(signals.RanksTimeout, func() { waits.Interrupt(context.Cause(at.signals)) })
	})
}
