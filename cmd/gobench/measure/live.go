package measure

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"gobench/internal/terminal"
)

// screen is the temporary output on a terminal during launches: the rows so far, if they fit, and a
// line with the progress. It is redrawn in place and cleared before anything else is printed.
type screen struct {
	w        io.Writer
	terminal terminal.Terminal
	drawn    int  // lines of the table
	shown    bool // the progress line
}

// eraseLine clears the line of the cursor of a terminal.
const eraseLine = "\r\x1b[2K"

// line shows the progress.
func (s *screen) line(text_ string) {
	if !s.terminal.Live {
		return
	}
	// One column stays free, because a full line wraps on some terminals.
	fmt.Fprintf(s.w, "%s%s", eraseLine, text.Snip(text_, max(1, s.terminal.Width-1), "~"))
	s.shown = true
}

// redraw draws a preliminary table, if it leaves room for the progress line and no row is wider
// than the terminal.
func (s *screen) redraw(table string) {
	s.clear()
	lines := 0
	for line := range strings.Lines(table) {
		if text.StringWidthWithoutEscSequences(strings.TrimSuffix(line, "\n")) > s.terminal.Width {
			return // it would wrap, and clear would not erase all of it
		}
		lines++
	}
	if lines == 0 || lines >= s.terminal.Height-1 {
		return
	}
	io.WriteString(s.w, table)
	s.drawn = lines
}

// clear erases the progress line and the table.
func (s *screen) clear() {
	if s.shown {
		io.WriteString(s.w, eraseLine)
		s.shown = false
	}
	// Each line is erased by itself. A terminal that keeps the lines above its screen also keeps
	// what a sequence erases that clears the screen from its first line to its end.
	if s.drawn > 0 {
		io.WriteString(s.w, strings.Repeat("\x1b[A"+eraseLine, s.drawn))
		s.drawn = 0
	}
}

// fitted wraps the lines of text at width, 0 = not at all.
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
