package comparison

import (
	"fmt"
	"io"
	"strings"

	"gobench/bench/compare"
	"gobench/internal/terminal"
)

// Table prints blocks in the style of the Intel MPI Benchmarks: a heading with the common factors,
// then a row for each size. Every line other than a row begins with #. It returns errors of the
// writer.
func Table(w io.Writer, t terminal.Terminal, r *compare.Result) error {
	var b strings.Builder
	p := page{Builder: &b, width: t.Width, noted: map[string]bool{}}
	if p.width == 0 {
		p.width = pageWidth
	}
	p.sides(r)
	for i := 1; i < len(r.Sides); i++ {
		p.block(r, r.Sides[i].Name)
	}
	p.end(r)
	_, err := io.WriteString(w, b.String())
	return err
}

// pageWidth is the width of wrapped text without a terminal.
const pageWidth = 110

type page struct {
	*strings.Builder
	width int
	noted map[string]bool // notes that were printed: those of the base are the same beside each side
}

// comment prints wrapped text after a head, all lines prefixed with #.
func (p page) comment(head, body string) {
	p.WriteString(strings.ReplaceAll(terminal.Hang("# "+head, body, p.width), "\n  ", "\n# "))
}

func (p page) sides(r *compare.Result) {
	for i, s := range r.Sides {
		head := "with    "
		if i == 0 {
			head = "compare "
		}
		where := ""
		if len(s.Hosts) > 0 {
			where = " on " + strings.Join(s.Hosts, ", ")
		}
		results, launches := "results", "launches"
		if s.Points == 1 {
			results = "result"
		}
		if s.Launches == 1 {
			launches = "launch"
		}
		p.comment(head, fmt.Sprintf("%s: %d %s of %d %s%s", side(s.Name), s.Points, results, s.Launches, launches, where))
	}
	p.WriteByte('\n')
}

// block prints the rows of one side, with a heading for each kind of cell.
func (p page) block(r *compare.Result, name string) {
	last := ""
	var notes []string
	label := labels(r)
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Side != name {
			continue
		}
		unit, by := scale(row.Metric)
		head := fmt.Sprintf("%s, %s[%s], %s is better", heading(row.Cell), row.Metric.Name, unit, row.Metric.Direction)
		if head != last {
			if last != "" {
				p.WriteByte('\n')
			}
			last = head
			p.comment("", fmt.Sprintf("%s; ratio = %s / %s", head, label[row.Side], label[row.Base]))
			fmt.Fprintf(p, "%10s %11s %11s %7s %15s %8s %6s  %s\n", "#size", "base", "new", "ratio", "interval", "p", "n", "verdict")
		}
		for _, note := range row.Notes {
			if note = row.Cell.String() + ": " + note; !p.noted[note] {
				p.noted[note] = true
				notes = append(notes, note)
			}
		}
		cell := size(row.Cell)
		if cell == "" {
			cell = absent
		}
		fmt.Fprintf(p, "%10s %11s %11s %7s %15s %8s %6s  %s\n", strings.ReplaceAll(cell, " ", ""), value(row.A.Median, by), value(row.B.Median, by),
			ratio(row.Ratio.Median), interval(row), probability(row), samples(row), verdict(row))
	}
	for i, note := range notes {
		if i == mostNotes && len(notes) > mostNotes+1 {
			p.comment("", fmt.Sprintf("and %d more such notes", len(notes)-mostNotes))
			break
		}
		p.comment("", note)
	}
	if last != "" {
		p.WriteByte('\n')
	}
}

// mostNotes bounds the notes on cells in a block.
const mostNotes = 5

func (p page) end(r *compare.Result) {
	p.comment("", tally(r))
	p.comment("method: ", r.Method)
	for _, warning := range r.Warnings {
		p.comment("warning: ", warning)
	}
	if s := answer(r); s != "" {
		p.comment("", s)
	}
}
