package decorator

import (
	"time"

	"gobench/device"
)

// Delay delays the start of every send by d. It spins for delays below a millisecond and sleeps for
// longer ones.
func Delay[C device.Channel](c C, d time.Duration) C { return wrap(c, delay(d)) }

type delay time.Duration

func (d delay) before(c *Call) error {
	if !c.Op.sends() {
		return nil
	}
	if time.Duration(d) >= time.Millisecond {
		time.Sleep(time.Duration(d))
		return nil
	}
	for start := time.Now(); time.Since(start) < time.Duration(d); {
	}
	return nil
}

func (delay) after(_ *Call, _ bool, _ *device.Status, err error) error { return err }
