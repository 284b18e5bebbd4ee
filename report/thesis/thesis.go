// Package thesis draws figures of "Design and Evaluation of Low-Latency Communication Middleware on
// High Performance Computing Systems" (University of A Coruña, see docs/sources.md) from records:
// with the axes of the original, the series of the records, and the values quoted in the text of
// the thesis as an overlay. No value was read off the figures of the thesis.
package thesis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gobench/internal/nearest"
	"gobench/report/cell"
	"gobench/report/figure"
)

// Prefix starts the names of these figures: "thesis-1.3".
const Prefix = "thesis"

// An entry describes one figure of the thesis.
type entry struct {
	number  string
	caption string // as printed
	kind    func(*cell.Set) []*figure.Figure
	benches []string // that it shows; nil = all that the kind draws
	stated  []stated // what its text says
}

// stated is a value quoted in the text of the thesis.
type stated struct {
	what    string  // "ibvdev on IB DDR"
	latency float64 // µs; 0 = not stated
	gbits   float64 // Gbit/s
	cores   float64 // of speedup
	speedup float64
	bench   string // the kernel that speedup is of
}

// Named returns the figure with a name such as "thesis-1.3", or all figures for "thesis". It
// returns no figure if the records have nothing for it, and a *nearest.UnknownError for an unknown
// name.
func Named(s *cell.Set, name string) ([]*figure.Figure, error) {
	var names []string
	var all []*figure.Figure
	for _, e := range entries {
		full := Prefix + "-" + e.number
		if name == Prefix || name == full {
			all = append(all, e.draw(s)...)
		}
		names = append(names, full)
	}
	if name != Prefix && !slices.Contains(names, name) {
		return nil, &nearest.UnknownError{What: "figure", Name: name, Known: names, List: "figures of the thesis"}
	}
	return all, nil
}

// draw draws the figure from records and overlays the values of the thesis.
func (e entry) draw(s *cell.Set) []*figure.Figure {
	if e.benches != nil {
		s = s.Only(func(p cell.Point) bool { return slices.Contains(e.benches, short(p.Bench)) })
	}
	figures := e.kind(s)
	for i, f := range figures {
		f.Name = Prefix + "-" + e.number
		if i > 0 {
			f.Name += fmt.Sprintf("-%d", i+1)
		}
		f.Title = fmt.Sprintf("After figure %s of the thesis: %s", e.number, f.Title)
		f.Caption += fmt.Sprintf(" The thesis: %q.", e.caption)
		if l := e.lay(f); len(l.said) > 0 {
			if l.lines {
				f.Keys = append(f.Keys, figure.OverlayKey("thesis, from its text", false))
			}
			if l.marks {
				f.Keys = append(f.Keys, figure.OverlayKey("thesis, from its text", true))
			}
			f.Caption += fmt.Sprintf(" Grey: values quoted in the thesis, measured on other hardware, for reference (%s).", strings.Join(l.said, "; "))
		} else if len(l.beyond) > 0 {
			f.Caption += fmt.Sprintf(" Its text states, beyond the numbers of ranks here: %s.", strings.Join(l.beyond, "; "))
		}
	}
	return figures
}

// short returns the name of a kernel without that of its suite.
func short(bench string) string { return strings.ToLower(strings.TrimPrefix(bench, "npb/")) }

// lay overlays the values on the panels of f and returns the meaning of their letters.
func (e entry) lay(f *figure.Figure) *letters {
	l := &letters{}
	for _, row := range f.Rows {
		panel := row[0]
		if panel.Right != nil {
			e.layOver(panel, l)
		}
		if len(row) == 2 && strings.HasPrefix(row[1].YLabel, "speedup") {
			e.laySpeedup(row[1], short(cmp.Or(panel.Heading, f.Bench)), l)
		}
	}
	return l
}

// letters assigns a letter to each value.
type letters struct {
	said         []string
	beyond       []string // what is too far away to be drawn
	lines, marks bool
}

func (l *letters) number(x, y float64, text string) figure.Number {
	n := figure.Number{X: x, Y: y, Letter: string(rune('a' + len(l.said))), Text: "thesis: " + text}
	l.said = append(l.said, n.Letter+" "+text)
	return n
}

// layOver adds latencies to the left axis, up to 1 KiB, and bandwidths to the right axis, above.
func (e entry) layOver(panel *figure.Panel, l *letters) {
	left := figure.Overlay{From: panel.X.Min, To: 1 << 10}
	right := figure.Overlay{From: 1 << 10, To: panel.X.Max}
	for _, n := range e.stated {
		if n.latency > 0 {
			left.Numbers = append(left.Numbers, l.number(0, n.latency, fmt.Sprintf("%s: %g µs", n.what, n.latency)))
		}
	}
	for _, n := range e.stated {
		if n.gbits > 0 {
			right.Numbers = append(right.Numbers, l.number(0, n.gbits/8, fmt.Sprintf("%s: %g Gbit/s (%.3g GB/s)", n.what, n.gbits, n.gbits/8)))
		}
	}
	l.lines = l.lines || len(left.Numbers)+len(right.Numbers) > 0
	if len(left.Numbers) > 0 {
		panel.Add(left)
	}
	if len(right.Numbers) > 0 {
		panel.Right.Add(right)
		panel.Right.Y.Min = 0
	}
}

// farthest bounds the extension of an axis for values of the thesis, as a multiple of the largest
// number of ranks in the records.
const farthest = 4

func (e entry) laySpeedup(panel *figure.Panel, bench string, l *letters) {
	var o figure.Overlay
	for _, n := range e.stated {
		if n.speedup == 0 || n.bench != bench {
			continue
		}
		text := fmt.Sprintf("%s: %g on %g cores", n.what, n.speedup, n.cores)
		if n.cores > farthest*panel.X.Max {
			l.beyond = append(l.beyond, text) // ours would be in a corner
			continue
		}
		o.Numbers = append(o.Numbers, l.number(n.cores, n.speedup, text))
		l.marks = true
	}
	if len(o.Numbers) > 0 {
		panel.Add(o)
		panel.Ranks(o.Numbers[0].X)
	}
}
