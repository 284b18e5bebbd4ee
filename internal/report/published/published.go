// Package published draws figures of the thesis and of its papers (docs/sources.md) from records,
// with the axes of the original. Values stated in the text of the original are an overlay; no value
// was read off a figure. One table (table.go) describes all figures.
package published

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/remedy"
	"gobench/internal/report/cell"
	"gobench/internal/report/figure"
	"gobench/internal/report/style"
	"gobench/nearest"
)

// A work is a publication with figures.
type work struct {
	prefix string // of the names of its figures: "thesis", as in "thesis-1.3"
	name   string // as in docs/sources.md
}

var works = []work{
	{"thesis", "the thesis"},
	{"devices", "the paper on devices"},
	{"fmpj", "F-MPJ"},
	{"ibvdev", "the ibvdev paper"},
	{"jfs", "Java Fast Sockets"},
}

// An entry describes one figure.
type entry struct {
	names   string      // names of the figure, separated by blanks: "thesis-2.10 ibvdev-10"
	caption string      // as printed
	kinds   string      // of package figure that draw it, separated by blanks
	benches string      // benchmarks shown, separated by blanks; empty = all that the kinds draw
	panels  string      // metrics of the panels that are kept, separated by blanks; empty = all
	sizes   []int64     // of the messages; nil = all
	over    cell.Medium // points over the other medium are left out; Unknown = no points are
	stated  []stated    // values in the text
	remarks []string    // statements of the text that no axis can show
	prices  int         // year of its prices, 0 if it lacks one
}

// allRemarks returns the remarks and, as the last one, how to draw the figure with its prices.
func (e *entry) allRemarks() []string {
	if e.prices == 0 {
		return e.remarks
	}
	text := fmt.Sprintf("its prices are those of %d (%v)", e.prices, remedy.Set("price-date", e.prices))
	if e.prices == 2012 {
		text += ": 1.30 USD/h for a CC1 and 2.40 USD/h for a CC2 instance on demand"
	}
	return append(slices.Clone(e.remarks), text)
}

// Works returns the prefixes of the names of figures, for help texts.
func Works() []string {
	return collect.Each(works, func(w work) string { return w.prefix })
}

// Name returns the name of a work by its prefix: "the thesis".
func Name(prefix string) string {
	for _, w := range works {
		if w.prefix == prefix {
			return w.name
		}
	}
	return prefix
}

// Is reports whether a name stands for a figure of this package or for all figures of a work. The
// figure may be unknown.
func Is(name string) bool {
	prefix, _, _ := strings.Cut(name, "-")
	return slices.ContainsFunc(works, func(w work) bool { return w.prefix == prefix })
}

// Named returns the figure with a name such as "thesis-1.3", or all figures of a work for its
// prefix. It returns no figure if the records have nothing for it (see Lacks), and a
// *nearest.UnknownError for an unknown name.
func Named(s *cell.Set, name string) ([]*figure.Figure, error) {
	known := slices.Concat(collect.Each(entries, func(e entry) []string { return strings.Fields(e.names) })...)
	var all []*figure.Figure
	found := false
	for _, w := range works {
		for _, e := range entries {
			for full := range strings.FieldsSeq(e.names) {
				if strings.HasPrefix(full, w.prefix+"-") && (name == full || name == w.prefix) {
					found = true
					figures, err := e.draw(s, w, full)
					if err != nil {
						return nil, err
					}
					all = append(all, figures...)
				}
			}
		}
	}
	if !found {
		return nil, &nearest.UnknownError{What: "figure", Name: name, Known: known, List: "figures of the thesis and its papers"}
	}
	return all, nil
}

// Lacks returns why the records of s give no figure of that name.
func Lacks(s *cell.Set, name string) string {
	for _, e := range entries {
		if !slices.Contains(strings.Fields(e.names), name) {
			continue
		}
		why := figure.Lacks(s, strings.Fields(e.kinds)[0])
		if benches := strings.Fields(e.benches); len(benches) > 0 {
			own := slices.DeleteFunc(slices.Clone(benches), func(b string) bool { return slices.Contains(elsewhere, b) })
			if len(own) == 0 {
				return "it needs imported records of " + strings.Join(benches, ", ") + ", which gobench does not measure"
			}
			why += "; of " + strings.Join(own, ", ")
		}
		return why + map[cell.Medium]string{cell.Memory: "; over shared memory", cell.Network: "; over a network"}[e.over]
	}
	return "they have nothing for any of its figures"
}

// draw draws the figure from records and overlays the stated values.
func (e entry) draw(s *cell.Set, w work, name string) ([]*figure.Figure, error) {
	benches := strings.Fields(e.benches)
	if len(benches) > 0 || e.sizes != nil || e.over != cell.Unknown {
		s = s.Only(func(p cell.Point) bool {
			return (len(benches) == 0 || slices.Contains(benches, short(p.Bench))) && (e.sizes == nil || slices.Contains(e.sizes, p.Size)) &&
				(e.over == cell.Unknown || p.Medium() == cell.Unknown || p.Medium() == e.over)
		})
	}
	var figures []*figure.Figure
	for kind := range strings.FieldsSeq(e.kinds) {
		of, err := figure.Named(s, kind)
		if err != nil {
			return nil, err
		}
		figures = append(figures, of...)
	}
	figures = slices.DeleteFunc(figures, func(f *figure.Figure) bool { return !f.Keep(strings.Fields(e.panels)...) })
	_, number, _ := strings.Cut(name, "-")
	for i, f := range figures {
		f.Name = name
		if i > 0 {
			f.Name += fmt.Sprintf("-%d", i+1)
		}
		f.Title = fmt.Sprintf("After figure %s of %s: %s", number, w.name, f.Title)
		f.Caption += fmt.Sprintf(" The original: %q.", e.caption)
		l := e.lay(f)
		if len(l.said) > 0 {
			f.Keys = append(f.Keys, figure.OverlayKey("stated in its text", l.lines, l.marks))
			f.Caption += fmt.Sprintf(" Grey: values quoted in its text, measured on other hardware, for reference (%s).", strings.Join(l.said, "; "))
		}
		if len(l.beyond) > 0 {
			f.Caption += fmt.Sprintf(" Its text states, beyond the axes here: %s.", strings.Join(l.beyond, "; "))
		}
		if remarks := e.allRemarks(); len(remarks) > 0 {
			f.Caption += fmt.Sprintf(" Its text also states: %s.", strings.Join(remarks, "; "))
		}
	}
	return figures, nil
}

// short returns the name of a kernel without that of its suite.
func short(bench string) string { return bench[strings.LastIndex(bench, "/")+1:] }

// letters collects the stated values of a figure for its caption.
type letters struct {
	said         []string // values drawn, each after its letter
	beyond       []string // values too far away to be drawn
	lines, marks bool     // values are drawn as lines, as marks
}

// lay overlays the stated values on the panels of f that show their quantity, and returns the
// meaning of their letters.
func (e entry) lay(f *figure.Figure) *letters {
	l := &letters{}
	for _, panel := range slices.Concat(f.Rows...) {
		if panel == nil {
			continue
		}
		e.layOver(panel, panel, l)
		if panel.Right != nil {
			e.layOver(panel.Right, panel, l)
			panel.Right.Y.Min = 0
		}
	}
	return l
}

// farthest bounds the extension of an axis of ranks or speedups for stated values, as a multiple of
// the largest number of ranks in the records.
const farthest = 4

// startUp is the size up to which the lines of latencies without a size extend, and from which on
// those of bandwidths.
const startUp = 1 << 10

// layOver overlays values on the y axis of a panel. axes is the panel whose x axis it has.
func (e entry) layOver(panel, axes *figure.Panel, l *letters) {
	o := figure.Overlay{From: axes.X.Min, To: axes.X.Max, Beside: panel.Layers}
	switch panel.Shows.Metric {
	case "half_rtt_s":
		o.To = min(o.To, startUp)
	case "bandwidth_Bps":
		o.From = max(o.From, min(startUp, o.To))
	}
	ranks := 0.0
	for _, s := range e.stated {
		v, ok := s.value(panel.Shows.Metric)
		if !ok || s.bench != "" && panel.Columns == nil && s.bench != short(panel.Bench) {
			continue
		}
		n := figure.Number{Y: v * panel.Shows.Scale, Bound: s.bound.direction(), Text: "stated: " + s.text()}
		switch {
		case panel.Columns != nil:
			at := slices.IndexFunc(panel.Columns, func(c string) bool { return short(c) == s.bench })
			if at < 0 {
				continue
			}
			n.X, n.Marked = float64(at)+0.47, true // beside the bars
		case max(s.cores, s.speedup) > farthest*axes.X.Max:
			l.beyond = append(l.beyond, s.text()) // an axis up to it would squeeze the records
			continue
		case s.cores > 0:
			n.X, n.Marked = s.cores, true
			ranks = max(ranks, s.cores)
		case s.size > 0 && (float64(s.size) < axes.X.Min || float64(s.size) > axes.X.Max), s.size == 0 && o.From >= o.To:
			l.beyond = append(l.beyond, s.text())
			continue
		case s.size > 0:
			n.X, n.Marked = float64(s.size), true
		}
		n.Letter = string(rune('a' + len(l.said)))
		l.said = append(l.said, n.Letter+" "+s.text())
		l.lines, l.marks = l.lines || !n.Marked, l.marks || n.Marked
		o.Numbers = append(o.Numbers, n)
	}
	if len(o.Numbers) == 0 {
		return
	}
	panel.Add(o)
	if ranks > 0 {
		panel.Ranks(ranks)
	}
}

// stated is one value that the text of a publication states. Exactly one of the quantities is set.
type stated struct {
	what  string // "ibvdev, IB DDR"
	bound bound
	bench string  // its benchmark; empty = that of the figure
	size  int64   // of the message; 0 = start-up latency, or peak bandwidth
	cores float64 // 0 = not stated

	latency, gbits, mops, seconds, speedup, efficiency, relative float64 // units: quantities

	to float64 // end of a range, whose middle is drawn; 0 = a single value
}

// quantities are the quantities of stated values.
var quantities = []struct {
	metric, before, unit string
	of                   func(stated) float64
	base                 float64 // unit of the metric / unit
}{
	{"half_rtt_s", "", " µs", func(s stated) float64 { return s.latency }, 1e-6},
	{"bandwidth_Bps", "", " Gbit/s", func(s stated) float64 { return s.gbits }, 1e9 / 8},
	{"mops", "", " Mop/s", func(s stated) float64 { return s.mops }, 1},
	{"run_s", "", " s", func(s stated) float64 { return s.seconds }, 1},
	{figure.Speedup, "speedup ", "", func(s stated) float64 { return s.speedup }, 1},
	{"efficiency", "", " %", func(s stated) float64 { return s.efficiency }, 0.01},
	{figure.Relative, "", " of the reference", func(s stated) float64 { return s.relative }, 1},
}

// value returns the value, or the middle of a range, in the unit of a metric, and whether it is of
// that metric.
func (s stated) value(metric string) (v float64, ok bool) {
	for _, q := range quantities {
		if v := q.of(s); v != 0 && q.metric == metric {
			return (v + cmp.Or(s.to, v)) / 2 * q.base, true
		}
	}
	return 0, false
}

// text describes the value: "FT, ibvdev: speedup more than 130 on 256 cores".
func (s stated) text() string {
	var b strings.Builder
	if s.bench != "" {
		b.WriteString(cell.BenchName(s.bench) + ", ")
	}
	b.WriteString(s.what + ": ")
	for _, q := range quantities {
		if v := q.of(s); v != 0 {
			b.WriteString(q.before + string(s.bound) + style.Number(v))
			if s.to > 0 {
				b.WriteString(" to " + style.Number(s.to))
			}
			b.WriteString(q.unit)
		}
	}
	if s.gbits > 0 {
		b.WriteString(" (" + style.Number(s.gbits/8) + " GB/s)")
	}
	if s.size > 0 {
		b.WriteString(" at " + style.Size(s.size))
	}
	if s.cores > 0 {
		b.WriteString(" on " + human.Count(int(s.cores), "core", "cores"))
	}
	return b.String()
}

// A bound is the qualifier of a value in the text, followed by a blank.
type bound string

const (
	moreThan bound = "more than "
	lessThan bound = "less than "
	about    bound = "about "
	upTo     bound = "up to " // the best that was reached
)

// direction returns 1 if the value is above the one drawn, -1 if it is below, otherwise 0.
func (b bound) direction() int {
	switch b {
	case moreThan:
		return 1
	case lessThan:
		return -1
	}
	return 0
}
