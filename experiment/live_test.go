package experiment

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"gobench/bench"
	"gobench/internal/terminal"
	"gobench/report"
)

// The screen is erased line by line before it is drawn again.
func TestScreen(t *testing.T) {
	var b strings.Builder
	s := screen{w: &b, terminal: terminal.Terminal{Live: true, Width: 20, Height: 6}}
	step := func(name, want string, do func()) {
		t.Helper()
		b.Reset()
		do()
		if b.String() != want {
			t.Errorf("%s: %q, want %q", name, b.String(), want)
		}
	}
	const erase, up = "\r\x1b[2K", "\x1b[A\r\x1b[2K"
	const upTwo = up + up
	step("line", erase+"one", func() { s.line("one") })
	step("long line", erase+"a line that is too~", func() { s.line("a line that is too long for it") })
	step("table", erase+"a\nb\n", func() { s.redraw("a\nb\n") })
	step("line below it", erase+"two", func() { s.line("two") })
	step("next table", erase+upTwo+"c\nd\ne\n", func() { s.redraw("c\nd\ne\n") })
	step("a table as wide as the terminal", up+upTwo+strings.Repeat("é", 20)+"\n\x1b[1mx\x1b[0m\n", func() { s.redraw(strings.Repeat("é", 20) + "\n\x1b[1mx\x1b[0m\n") })
	step("no room", upTwo, func() { s.redraw(strings.Repeat("x\n", 5)) })
	step("nothing is left of it", "", s.clear)
	step("too wide", "", func() { s.redraw("short\n" + strings.Repeat("x", 21) + "\n") })
	step("empty", "", func() { s.redraw("") })
	step("last line", erase+"end", func() { s.line("end") })
	step("clear", erase, s.clear)
}

func TestNothingIsDrawnWithoutATerminal(t *testing.T) {
	var b strings.Builder
	s := screen{w: &b, terminal: terminal.Terminal{Width: 80, Height: 24}}
	s.line("one")
	s.clear()
	if b.Len() > 0 {
		t.Errorf("drawn: %q", b.String())
	}
}

// overlaps counts writes that begin before another has ended.
type overlaps struct{ busy, seen atomic.Int32 }

func (o *overlaps) Write(b []byte) (int, error) {
	if o.busy.Add(1) > 1 {
		o.seen.Add(1)
	}
	runtime.Gosched()
	o.busy.Add(-1)
	return len(b), nil
}

// Notices of other goroutines do not mix with what is drawn.
func TestNoticesFromOtherGoroutines(t *testing.T) {
	var o overlaps
	c := &campaign{stderr: &o, stdout: &o, requests: []*measurement{{Launches: 1, Transports: make([]Transport, 1)}}, screen: screen{w: &o, terminal: terminal.Terminal{Live: true, Width: 80, Height: 24}}}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 100 {
				c.notice("a host is missing")
				c.screen.line("1/2")
				c.screen.redraw("a table\n")
				c.screen.clear()
				if err := c.Event(bench.Event{Text: "text\n"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if n := o.seen.Load(); n > 0 {
		t.Errorf("%d writes overlap", n)
	}
}

// The progress is drawn where no rows are printed before the launches have ended.
func TestWhereProgressIsDrawn(t *testing.T) {
	for _, c := range []struct {
		form           report.Form
		stdout, stderr bool // it is a terminal
		want           string
	}{
		{report.Text, true, true, "stdout"},
		{report.Text, true, false, "stdout"},
		{report.Text, false, true, "stderr"},
		{report.JSON, true, true, ""},
		{report.CSV, true, true, "stderr"},
		{report.JSON, false, true, "stderr"},
		{report.JSON, true, false, ""},
		{report.Text, false, false, ""},
	} {
		var stdout, stderr strings.Builder
		m := &campaign{stdout: &stdout, stderr: &stderr, requests: []*measurement{{Form: c.form}}, terminal: terminal.Terminal{Live: c.stdout, Width: 80}}
		m.drawOn(terminal.Terminal{Live: c.stderr, Width: 80})
		m.screen.line("progress")
		got := ""
		if stdout.Len() > 0 {
			got = "stdout"
		}
		if stderr.Len() > 0 {
			got += "stderr"
		}
		if got != c.want {
			t.Errorf("%v with terminals %v and %v: drawn on %q, want %q", c.form, c.stdout, c.stderr, got, c.want)
		}
	}
}
