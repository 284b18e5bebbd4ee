package application

import (
	"cmp"
	"fmt"
	"sync"
	"time"

	"gobench/bench"
)

// watch reports the progress of an application from its own goroutine; the rank only counts
// its steps.
type watch struct {
	sink  bench.Sink
	rank  *Rank
	label string

	mu   sync.Mutex
	run  int   // number of complete runs
	err  error // the first of the sink
	end  chan struct{}
	done sync.WaitGroup
}

// watchEvery is the time between reports.
const watchEvery = 200 * time.Millisecond

func newWatch(sink bench.Sink, rank *Rank, label string, live bool) *watch {
	w := &watch{sink: sink, rank: rank, label: label, end: make(chan struct{})}
	if !live {
		return w
	}
	w.done.Go(func() {
		ticks := time.NewTicker(watchEvery)
		defer ticks.Stop()
		for {
			select {
			case <-w.end:
				return
			case <-ticks.C:
				w.show()
			}
		}
	})
	return w
}

func (w *watch) show() {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := fmt.Sprintf("%s: run %d", w.label, w.run+1)
	if step, steps := w.rank.Progress(); steps > 0 {
		text += fmt.Sprintf(", step %d of %d", step, steps)
	}
	w.err = cmp.Or(w.err, w.sink.Event(bench.Event{Line: text}))
}

// after records that a run is complete and passes its text on.
func (w *watch) after(run int, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.run = run
	if text != "" {
		w.err = cmp.Or(w.err, w.sink.Event(bench.Event{Text: text}))
	}
}

// stop ends the reports. It returns the first error of the sink.
func (w *watch) stop() error {
	close(w.end)
	w.done.Wait()
	return w.err
}
