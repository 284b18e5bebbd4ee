package report

import (
	"fmt"

	"gobench/record"
	"gobench/record/series"
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
func (s *firstScreen) sizeTable(p *panel, most int) (lines []string, left bool) {
	sizes := chosenSizes(p.sizes, most)
	g := grid{color: s.terminal.Color}
	size := gridColumn{name: "size"}
	for _, n := range sizes {
		size.cells = append(size.cells, FormatSize(n))
	}
	g.columns = append(g.columns, size)
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
	unit, _ := scaleOf(main)
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
			name = snip(l.name, 14) + " " + unit
		}
		filled := false
		g.add(gridColumn{name: name, keep: keep, cells: of(l, func(c *contest) string {
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
		g.add(gridColumn{name: "± %", keep: min(keep, 12), cells: of(l, func(c *contest) string { return measureOf(&c.row, main).interval })})
		g.add(gridColumn{name: "algorithm", left: true, keep: min(keep, 11), cells: of(l, func(c *contest) string { return c.algorithm() })})
		if len(p.lanes) > 1 {
			continue
		}
		g.add(gridColumn{name: "next", left: true, keep: 3, cells: of(l, func(c *contest) string { return c.next() })})
		for _, e := range extraKeys {
			if e.key != main {
				g.add(gridColumn{name: e.name, keep: e.keep, cells: of(l, func(c *contest) string {
					if m := measureOf(&c.row, e.key); m.number != "" {
						return m.number
					}
					return absent
				})})
			}
		}
		g.add(gridColumn{name: "p99 us", keep: 2, cells: of(l, func(c *contest) string {
			if v := c.row.Metrics.Get(main); v.P99 > 0 && unit == "us" {
				return rounded(v.P99*1e6, 3)
			}
			return absent
		})})
		g.add(gridColumn{name: "path", left: true, keep: 1, cells: of(l, func(c *contest) string { return c.row.Path })})
	}
	for _, r := range s.ratiosOf(p) {
		var cells []string
		for _, n := range sizes {
			text := r.sizes[n]
			if text == "" {
				text = absent
			}
			cells = append(cells, text)
		}
		g.add(gridColumn{name: r.of + "/" + p.lanes[0].of, keep: 8, cells: cells})
	}
	return g.lines(s.terminal.Width), len(sizes) < len(p.sizes)
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
func chosenSizes(sizes []int64, most int) []int64 {
	if len(sizes) <= most || most < 2 {
		return sizes
	}
	var list []int64
	for i := range most {
		list = append(list, sizes[i*(len(sizes)-1)/(most-1)])
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
		return fmt.Sprintf("like %s +%d", snip(o.alike[1], 14), n-2)
	} else if n > 1 {
		return "like " + snip(o.alike[1], 16)
	}
	if o.next == nil {
		return ""
	}
	return fmt.Sprintf("%s %s x", snip(o.next.algorithm, 14), times(o.next.time.Median/o.best.time.Median))
}

// outcome returns the outcome of the race of several algorithms.
func (c *contest) outcome() (outcome, bool) {
	if len(c.race.entries) < 2 {
		return outcome{}, false
	}
	return c.race.outcome(), true
}
