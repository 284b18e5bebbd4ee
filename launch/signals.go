package launch

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
	// RanksPatience is the time in which ranks end together, with the results of the current cell.
	// Then each ends its waits for the others (device.Interrupter), which may be stopped.
	RanksPatience = 1500 * time.Millisecond
	// JobPatience is the time after which the launcher kills the ranks that have not ended.
	JobPatience = 2100 * time.Millisecond
	// HostsPatience is the time after which the launcher gives up the hosts that do not answer.
	HostsPatience = 2250 * time.Millisecond
	// LaunchPatience is the time after which a sweep kills a launch that has not ended.
	LaunchPatience = 2400 * time.Millisecond
	// LastPatience is the time after which a process ends whatever it does: a library may wait
	// itself, and a reader of the output may be stopped.
	LastPatience = 2600 * time.Millisecond
)

// signals receives the signals to be forwarded.
type signals struct{ c chan os.Signal }

// EndSignals returns the signals that ask this process to end, except those that it was started to
// ignore, such as SIGHUP under nohup; ranks inherit that.
func EndSignals() []os.Signal {
	return slices.DeleteFunc([]os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}, signal.Ignored)
}

// notify begins to receive EndSignals.
func notify() signals {
	s := signals{make(chan os.Signal, 8)}
	if list := EndSignals(); len(list) > 0 { // an empty list would mean all
		signal.Notify(s.c, list...)
	}
	return s
}

func (s signals) end() { signal.Stop(s.c) }
