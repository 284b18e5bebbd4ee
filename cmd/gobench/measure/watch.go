package measure

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"gobench/internal/terminal"
	"gobench/kernels/application"
)

// watch tells how far an application has come, on terminals, from a goroutine of its
// own: the rank only counts its steps.
type watch struct {
	out   *output
	rank  *application.Rank
	label string

	mu   sync.Mutex
	run  int // done
	end  chan struct{}
	done sync.WaitGroup
}

// watchEvery is how often the line is drawn.
const watchEvery = 200 * time.Millisecond

func newWatch(out *output, rank *application.Rank, label string) *watch {
	w := &watch{out: out, rank: rank, label: label, end: make(chan struct{})}
	if !out.round.Live {
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
	w.out.rows.Line(text)
}

// after notes that a run is done and prints its text, for people.
func (w *watch) after(run int, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.run = run
	if text != "" {
		w.out.rows.Text(text)
	}
}

// fitted is text whose lines are broken where the terminal is narrower.
func fitted(text string, width int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if width > 0 && len(line) > width {
			line = terminal.Hang(" ", strings.TrimSpace(line), width)
		}
		b.WriteString(line)
	}
	return b.String()
}

// stop ends the line.
func (w *watch) stop() {
	close(w.end)
	w.done.Wait()
}
