package signals

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"

	"gobench/internal/exit"
)

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
