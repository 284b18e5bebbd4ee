package measure

import (
	"fmt"
	"io"
	"math"

	"github.com/jedib0t/go-pretty/v6/text"

	"gobench/bench"
	"gobench/internal/terminal"
	"gobench/report"
)

// live is the line that says what is being measured, while it is. It is
// rewritten in place, on terminals only, and gone before a row is printed.
type live struct {
	w        io.Writer
	terminal terminal.Terminal
	shown    bool
}

// eraseLine empties the line that the cursor of a terminal is in.
const eraseLine = "\r\x1b[2K"

func (l *live) show(p bench.Progress) { l.line(liveText(p)) }

func (l *live) line(s string) {
	if !l.terminal.Live {
		return
	}
	// One column stays free: a terminal that is full would go to the next line.
	fmt.Fprintf(l.w, "%s%s", eraseLine, text.Snip(s, max(1, l.terminal.Width-1), "~"))
	l.shown = true
}

func (l *live) clear() {
	if l.shown {
		io.WriteString(l.w, eraseLine)
		l.shown = false
	}
}

func liveText(p bench.Progress) string {
	s := fmt.Sprintf("%d/%d %s %s", p.Cell+1, p.Cells, p.Bench, report.FormatSize(int64(p.Size)))
	switch {
	case p.WarmUp:
		return s + " warming up"
	case p.N == 0:
		return s
	case math.IsInf(p.Width, 0):
		return fmt.Sprintf("%s n=%d %.3f us", s, p.N, p.Median*1e6)
	default:
		return fmt.Sprintf("%s n=%d %.3f us ±%.1f %%, target %g %%", s, p.N, p.Median*1e6, 100*p.Width, 100*p.Target)
	}
}
