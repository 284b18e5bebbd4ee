package launch

import (
	"os"
	"os/signal"
	"slices"
	"syscall"
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
