// Package signals receives the signals by which people and schedulers stop or end a job, and has
// the time-outs of its end.
package signals

import (
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"
)

// Times after the first signal that asks a job to end. Each process waits longer than those that it
// waits for, and all have ended within 3 s, whatever they wait for.
const (
	// RepeatTime is the time after a signal in which the same signal is the same request: GNU
	// timeout, for one, sends its signal to the command and then to the group of the command.
	RepeatTime = 100 * time.Millisecond
	// RanksTimeout is the time in which ranks end together, with the results of the current cell.
	// Then each ends its waits for the others (device.Interrupter), which may be stopped.
	RanksTimeout = 1500 * time.Millisecond
	// JobTimeout is the time after which the launcher kills the ranks that have not ended.
	JobTimeout = 2100 * time.Millisecond
	// HostsTimeout is the time after which the launcher gives up the hosts that do not answer.
	HostsTimeout = 2250 * time.Millisecond
	// LaunchTimeout is the time after which a sweep kills a launch that has not ended.
	LaunchTimeout = 2400 * time.Millisecond
	// LastTimeout is the time after which a process ends whatever it does: a library may wait
	// itself, and a reader of the output may be stopped.
	LastTimeout = 2600 * time.Millisecond
)

// Ends receives EndSignals, until End.
type Ends struct {
	C <-chan os.Signal
	c chan os.Signal
}

// EndSignals returns the signals that ask this process to end, except those that it was started to
// ignore, such as SIGHUP under nohup; ranks inherit that.
func EndSignals() []os.Signal {
	return slices.DeleteFunc([]os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}, signal.Ignored)
}

// NotifyEnds begins to receive EndSignals.
func NotifyEnds() *Ends {
	c := make(chan os.Signal, 8)
	if list := EndSignals(); len(list) > 0 { // an empty list would mean all
		signal.Notify(c, list...)
	}
	return &Ends{C: c, c: c}
}

// End ends receiving.
func (e *Ends) End() { signal.Stop(e.c) }
