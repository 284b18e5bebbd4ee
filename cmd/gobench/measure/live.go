package measure

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"gobench/internal/terminal"
)

// screen is what stands on a terminal while launches go on: the rows so far, where there is room
// for them, and a line that says what is being measured. It is drawn again in place, and gone
// before anything else is printed.
type screen struct {
	w        io.Writer
	terminal terminal.Terminal
	drawn    int  // lines of the table
	shown    bool // the live line
}

// eraseLine empties the line that the cursor of a terminal is in.
const eraseLine = "\r\x1b[2K"

// line shows what is being measured.
func (s *screen) line(text_ string) {
	if !s.terminal.Live {
		return
	}
	// One column stays free: a terminal that is full would go to the next line.
	fmt.Fprintf(s.w, "%s%s", eraseLine, text.Snip(text_, max(1, s.terminal.Width-1), "~"))
	s.shown = true
}

// redraw draws the table so far, if it leaves room for the line below it and no row is wider than
// the terminal.
func (s *screen) redraw(table string) {
	s.clear()
	lines := 0
	for line := range strings.Lines(table) {
		if text.StringWidthWithoutEscSequences(strings.TrimSuffix(line, "\n")) > s.terminal.Width {
			return // it would take two lines, and not be gone when it is taken away
		}
		lines++
	}
	if lines == 0 || lines >= s.terminal.Height-1 {
		return
	}
	io.WriteString(s.w, table)
	s.drawn = lines
}

// clear takes everything away.
func (s *screen) clear() {
	if s.shown {
		io.WriteString(s.w, eraseLine)
		s.shown = false
	}
	if s.drawn > 0 {
		fmt.Fprintf(s.w, "\x1b[%dA\x1b[J", s.drawn)
		s.drawn = 0
	}
}
