package launch

import (
	"os"
	"os/signal"
	"syscall"
)

// signals receives the signals to be forwarded.
type signals struct{ c chan os.Signal }

// notify begins to receive signals, except those that this process ignores, such as SIGHUP under
// nohup; ranks inherit that.
func notify() signals {
	s := signals{make(chan os.Signal, 8)}
	for _, sig := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(sig) {
			signal.Notify(s.c, sig)
		}
	}
	return s
}

func (s signals) end() { signal.Stop(s.c) }
