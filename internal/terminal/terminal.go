// Package terminal determines the capabilities of a terminal and formats text for it.
package terminal

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// A Terminal describes the capabilities of an output. The zero value is a file, a pipe or
// a log: unlimited width, no colour, no lines rewritten in place.
type Terminal struct {
	Width  int  // columns; 0 = unlimited
	Height int  // lines; 0 = unknown
	Live   bool // a line may be rewritten in place
	Color  bool
}

// A Wrapper is a writer to another one, such as to standard output, whose capabilities it has.
type Wrapper interface{ Unwrap() io.Writer }

// Unwrap returns the writer that w writes to in the end.
func Unwrap(w io.Writer) io.Writer {
	for {
		outer, ok := w.(Wrapper)
		if !ok {
			return w
		}
		w = outer.Unwrap()
	}
}

// Of returns the capabilities of w. NO_COLOR (no-color.org) and TERM=dumb are obeyed.
func Of(w io.Writer) Terminal {
	f, ok := Unwrap(w).(*os.File)
	if !ok {
		return Terminal{}
	}
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return Terminal{}
	}
	t := Terminal{Width: int(size.Col), Height: int(size.Row), Live: os.Getenv("TERM") != "dumb"}
	if t.Width == 0 { // a terminal without a known size
		t.Width = 80
	}
	t.Color = t.Live && os.Getenv("NO_COLOR") == ""
	return t
}
