package report

import (
	"fmt"
	"io"
	"strings"

	"gobench/internal/record/series"
	"gobench/internal/report/host"
	"gobench/record"
)

// An Output is where results are printed, and how.
type Output struct {
	W        io.Writer // results
	Remarks  io.Writer // what is to say about them, a line each, where W has rows only
	Terminal Terminal  // capabilities of W
	Form     Form
	View     View

	// Of other commands that are printed by the same call; nil = none.
	said  map[string]bool // remarks, each of which is printed once
	hosts host.Known
}

// Estimate returns the results of one command while its launches follow: the first screen without
// its ends, or with View.Full the table without notes.
func (o Output) Estimate(runs []record.Run, points []record.Point) string {
	scales := new(series.Scales)
	if o.View.Full {
		return seriesTable(runs, points, scales, o.Terminal, true)
	}
	return firstScreenOf(runs, points, scales, o.Terminal, o.View, true)
}

// Text prints the results of one command as text: on a terminal its first screen; elsewhere the
// rows as IMB prints them, and on Notes whether they can be trusted; with View.Full the table with
// all columns and notes.
func (o Output) Text(runs []record.Run, points []record.Point) error {
	return o.text(runs, points, new(series.Scales))
}

func (o Output) text(runs []record.Run, points []record.Point, scales *series.Scales) error {
	switch {
	case o.View.Full:
		_, err := io.WriteString(o.W, seriesTable(runs, points, scales, o.Terminal, false))
		return err
	case o.Terminal.Width > 0:
		_, err := io.WriteString(o.W, firstScreenOf(runs, points, scales, o.Terminal, o.View, false))
		return err
	}
	s := newFirstScreen(runs, points, scales, o.Terminal, o.View)
	if s == nil {
		return nil
	}
	var b strings.Builder
	table := NewTable(&b, o.Terminal)
	if table.bare = true; o.hosts != nil {
		table.hosts = o.hosts
	}
	table.rows(runs, s.visible, scales)
	if _, err := io.WriteString(o.W, b.String()); err != nil || o.Remarks == nil {
		return err
	}
	for _, line := range s.remarks() {
		if o.said[line] {
			continue
		}
		if fmt.Fprintln(o.Remarks, "gobench: "+line); o.said != nil {
			o.said[line] = true
		}
	}
	return nil
}
