// Package signals receives the signals by which people and schedulers stop or end a job, and has
// the time-outs of its end.
package signals

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"gobench/internal/exit"
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

// Context returns a context that ends with the first of EndSignals. RepeatTime later a second
// signal has its usual effect. The process ends LastTimeout after the first signal, whatever it
// waits for: records are written as they are measured. The returned function ends that time, and
// receiving, unless RepeatTime does.
func Context(ctx context.Context) (context.Context, context.CancelFunc) {
	list := EndSignals()
	if len(list) == 0 { // an empty list would mean all
		return context.WithCancel(ctx)
	}
	ctx, stop := signal.NotifyContext(ctx, list...)
	returned := make(chan struct{})
	unwatch := context.AfterFunc(ctx, func() {
		time.Sleep(RepeatTime)
		stop()
		select {
		case <-returned:
		case <-time.After(LastTimeout - RepeatTime):
			go fmt.Fprintf(os.Stderr, "gobench: interrupted, and ended after %v although something had not ended; the records of complete cells are in their file\n", LastTimeout)
			time.Sleep(50 * time.Millisecond) // the message may not find a reader
			os.Exit(exit.Failed)
		}
	})
	return ctx, func() {
		if unwatch() {
			stop()
			return
		}
		close(returned)
	}
}
