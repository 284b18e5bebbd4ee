package report

import (
	"cmp"
	"fmt"
	"slices"

	"gobench/internal/human"
	"gobench/internal/record/series"
	"gobench/internal/terminal"
	"gobench/record"
)

// extraKeys lists the columns of the table of a panel of one lane besides its main value.
var extraKeys = []struct {
	key, name string
	keep      int
}{
	{"bandwidth_Bps", "GB/s", 7},
	{"busbw_Bps", "bus GB/s", 5},
	{"message_rate_per_s", "Mmsg/s", 6},
	{"overlap_ratio", "overlap", 6},
}

// sizeTable returns the table of a panel with one row for each size, at most most rows, and whether
// sizes are left out.
func (s *firstScreen) sizeTable(p *panel, limit int) (lines []string, left bool) {
	sizes := chosenSizes(p.sizes, limit)
	g := terminal.Grid{Color: s.terminal.Color}
	size := terminal.Column{Name: "size"}
	for _, n := range sizes {
		size.Cells = append(size.Cells, FormatSize(n))
	}
	g.Columns = append(g.Columns, size)
	of := func(l *lane, cell func(c *contest) string) []string {
		var cells []string
		for _, n := range sizes {
			text := absent
			if c := l.at[n]; c != nil {
				text = cell(c)
			}
			cells = append(cells, text)
		}
		return cells
	}
	main := mainKey(p)
	unit, _ := Scale(main)
	for i, l := range p.lanes {
		keep := 20 - i
		if l.other {
			keep = 4
			if !s.view.States && 2*len(l.at) < len(p.sizes) {
				continue
			}
		}
		name := unit
		if len(p.lanes) > 1 {
			name = terminal.Snip(l.name, 14) + " " + unit
		}
		filled := false
		g.Add(terminal.Column{Name: name, Keep: keep, Cells: of(l, func(c *contest) string {
			m := measureOf(&c.row, main)
			if m.number == "" {
				return absent
			}
			if !c.inLane {
				filled = true
				return m.number + "*"
			}
			return m.number
		})})
		s.filled = s.filled || filled
		g.Add(terminal.Column{Name: "± %", Keep: min(keep, 12), Cells: of(l, func(c *contest) string { return measureOf(&c.row, main).interval })})
		g.Add(terminal.Column{Name: "algorithm", Left: true, Keep: min(keep, 11), Cells: of(l, func(c *contest) string { return c.algorithm() })})
		if len(p.lanes) > 1 {
			continue
		}
		g.Add(terminal.Column{Name: "next", Left: true, Keep: 3, Cells: of(l, func(c *contest) string { return c.next() })})
		for _, e := range extraKeys {
			if e.key != main {
				g.Add(terminal.Column{Name: e.name, Keep: e.keep, Cells: of(l, func(c *contest) string {
					if m := measureOf(&c.row, e.key); m.number != "" {
						return m.number
					}
					return absent
				})})
			}
		}
		g.Add(terminal.Column{Name: "p99 us", Keep: 2, Cells: of(l, func(c *contest) string {
			if v := c.row.Metrics.Get(main); v.P99 > 0 && unit == "us" {
				return human.Rounded(v.P99*1e6, 3)
			}
			return absent
		})})
		g.Add(terminal.Column{Name: "path", Left: true, Keep: 1, Cells: of(l, func(c *contest) string { return c.row.Path })})
	}
	for _, r := range s.ratiosOf(p, false) {
		var cells []string
		for _, n := range sizes {
			text := cmp.Or(r.sizes[n], absent)
			cells = append(cells, text)
		}
		g.Add(terminal.Column{Name: r.of + "/" + p.lanes[0].of, Keep: 8, Cells: cells})
	}
	return g.Lines(s.terminal.Width), len(sizes) < len(p.sizes)
}

// algorithmTable returns the algorithms of a panel of one size and one lane by their time, the
// fastest first, at most limit rows; nil for others.
func (s *firstScreen) algorithmTable(p *panel, limit int) []string {
	if len(p.sizes) > 1 || len(p.lanes) > 1 || limit < 2 {
		return nil
	}
	entries := slices.Clone(p.lanes[0].at[p.sizes[0]].race.entries)
	if len(entries) < 2 {
		return nil
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return cmp.Compare(a.time.Median, b.time.Median) })
	s.short = s.short || len(entries) > limit
	names, us, interval, ratio := terminal.Column{Name: "algorithm", Left: true}, terminal.Column{Name: "us"}, terminal.Column{Name: "± %"}, terminal.Column{Name: "x best"}
	for _, e := range entries[:min(limit, len(entries))] {
		share, _ := halfWidth(e.time)
		names.Cells = append(names.Cells, e.algorithm)
		us.Cells = append(us.Cells, human.Rounded(e.time.Median*1e6, human.Digits(share)))
		interval.Cells = append(interval.Cells, human.PlusMinus(share))
		ratio.Cells = append(ratio.Cells, times(e.time.Median/entries[0].time.Median))
	}
	g := terminal.Grid{Columns: []terminal.Column{names, us, interval, ratio}, Color: s.terminal.Color}
	return g.Lines(s.terminal.Width)
}

// mainKey returns the metric that the table of a panel shows: the time of an event, or else its
// bandwidth.
func mainKey(p *panel) string {
	sample := p.sample()
	if key := record.TimeKey(sample.Metrics); key != "" {
		return key
	}
	return series.Main(sample.Metrics)
}

// chosenSizes returns at most most sizes, the first and the last among them, the others at equal
// distances.
func chosenSizes(sizes []int64, limit int) []int64 {
	if len(sizes) <= limit || limit < 2 {
		return sizes
	}
	var list []int64
	for i := range limit {
		list = append(list, sizes[i*(len(sizes)-1)/(limit-1)])
	}
	return list
}

// algorithm names the fastest algorithm of a contest, marked where others are as fast within their
// intervals.
func (c *contest) algorithm() string {
	if o, ok := c.outcome(); ok && len(o.alike) > 1 {
		return o.best.algorithm + " (tie)"
	} else if ok {
		return o.best.algorithm
	}
	return c.row.Algorithm
}

// next names the next algorithm and how many times as long it takes, "" if there is none.
func (c *contest) next() string {
	o, ok := c.outcome()
	if !ok {
		return ""
	}
	if n := len(o.alike); n > 2 {
		return fmt.Sprintf("like %s +%d", terminal.Snip(o.alike[1], 14), n-2)
	} else if n > 1 {
		return "like " + terminal.Snip(o.alike[1], 16)
	}
	if o.next == nil {
		return ""
	}
	return fmt.Sprintf("%s %s x", terminal.Snip(o.next.algorithm, 14), times(o.next.time.Median/o.best.time.Median))
}

// outcome returns the outcome of the race of several algorithms.
func (c *contest) outcome() (outcome, bool) {
	if len(c.race.entries) < 2 {
		return outcome{}, false
	}
	return c.race.outcome(), true
}
