package experiment

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/jedib0t/go-pretty/v6/text"

	"gobench/internal/terminal"
)

// screen is the temporary output on a terminal during launches: the rows so far, if they fit, and a
// line with the progress. It is redrawn in place and cleared before anything else is printed.
// Several goroutines may use it: notices come from those that watch hosts and ranks.
type screen struct {
	w        io.Writer
	terminal terminal.Terminal

	mu    sync.Mutex
	drawn int  // lines of the table
	shown bool // the progress line
}

// eraseLine clears the line of the cursor of a terminal.
const eraseLine = "\r\x1b[2K"

// line shows the progress.
func (s *screen) line(text_ string) {
	if !s.terminal.Live {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// One column stays free, because a full line wraps on some terminals.
	fmt.Fprintf(s.w, "%s%s", eraseLine, text.Snip(text_, max(1, s.terminal.Width-1), "~"))
	s.shown = true
}

// redraw draws a preliminary table, if it leaves room for the progress line and no row is wider
// than the terminal.
func (s *screen) redraw(table string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
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
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
}

// print clears the screen and writes text to w, before anything is drawn again.
func (s *screen) print(w io.Writer, text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	_, err := io.WriteString(w, text)
	return err
}

// erase is clear for a caller that holds s.mu.
func (s *screen) erase() {
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
