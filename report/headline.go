package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/record/series"
	"gobench/internal/terminal"
	"gobench/record"
)

// The sizes of the headline: a small message, two large ones.
const (
	smallSize  = 8
	largeSize  = 64 << 10
	largerSize = 1 << 20
)

// A spot is one column of the headline.
type spot struct {
	title string
	pick  func(l *lane) (c *contest, key string) // nil if the lane lacks one
}

// spots returns the columns of the headline of a panel: time of a small message, rates of large
// ones, and the peak.
func (p *panel) spots() []spot {
	var sample record.Point
	for _, l := range p.lanes {
		for _, size := range p.sizes {
			if c := l.at[size]; c != nil && (sample.Bench == "" || c.row.Metrics.Len() > sample.Metrics.Len()) {
				sample = c.row
			}
		}
	}
	at := func(size int64, key string) func(*lane) (*contest, string) {
		return func(l *lane) (*contest, string) { return l.at[size], key }
	}
	peak := func(key string) func(*lane) (*contest, string) {
		return func(l *lane) (best *contest, _ string) {
			for _, size := range p.sizes {
				if c := l.at[size]; c != nil && (best == nil || c.row.Metrics.Median(key) > best.row.Metrics.Median(key)) {
					best = c
				}
			}
			return best, key
		}
	}
	time := record.TimeKey(sample.Metrics)
	main := cmp.Or(time, series.Main(sample.Metrics))
	rate := "bandwidth_Bps"
	collective := sample.Algorithm != "" || sample.Metrics.Has("busbw_Bps")
	large := rate
	switch {
	case collective:
		rate, large = "busbw_Bps", main
	case (time == "" || sample.Window > 0) && sample.Metrics.Has("message_rate_per_s"):
		main = "message_rate_per_s"
	}
	small := p.near(smallSize)
	word := map[string]string{"half_rtt_s": "latency", "rtt_s": "round trip", "message_rate_per_s": "rate", "bandwidth_Bps": "bandwidth"}[main]
	word = cmp.Or(word, "time")
	list := []spot{{word + ", " + FormatSize(small), at(small, main)}}
	if small == 0 && len(p.sizes) == 1 {
		list[0].title = word
	}
	for _, size := range []int64{largeSize, largerSize} {
		if size != small && slices.Contains(p.sizes, size) {
			list = append(list, spot{FormatSize(size), at(size, large)})
		}
	}
	if !sample.Metrics.Has(rate) || len(p.sizes) == 1 {
		return list
	}
	if collective {
		return append(list, spot{"peak bus", peak(rate)})
	}
	return append(list, spot{"peak", peak(rate)})
}

// near returns the size of the panel that is nearest to a small size, but not 0 if there is
// another.
func (p *panel) near(want int64) int64 {
	best := p.sizes[0]
	for _, size := range p.sizes {
		distance := func(n int64) int64 { return max(n-want, want-n) }
		if size > 0 && (best == 0 || distance(size) < distance(best)) {
			best = size
		}
	}
	return best
}

// Scale returns the unit in which a metric is shown, and the factor to it.
func Scale(key string) (unit string, factor float64) {
	switch m, _ := record.Lookup(key); m.Unit {
	case "s":
		return "us", 1e6
	case "B/s":
		return "GB/s", 1e-9
	case "1/s":
		return "M/s", 1e-6
	default:
		return m.Unit, 1
	}
}

// measureOf returns a metric of a row in the unit of its column.
func measureOf(p *record.Point, key string) measure {
	v, ok := p.Metrics.Lookup(key)
	if !ok || v.Median == 0 {
		return measure{}
	}
	share, _ := halfWidth(v)
	unit, factor := Scale(key)
	return measure{human.Rounded(v.Median*factor, human.Digits(share)), unit, human.PlusMinus(share)}
}

// headline returns the headlines of panels, those with equal columns below each other.
// With brief the algorithms are left out.
func (s *firstScreen) headline(panels []*panel, brief bool) []string {
	var lines []string
	for _, alike := range collect.By(panels, func(p *panel) string { return strings.Join(titlesOf(p), "\n") }) {
		lines = append(lines, s.headlineOf(alike, titlesOf(alike[0]), brief)...)
	}
	return lines
}

func titlesOf(p *panel) []string {
	return collect.Each(p.spots(), func(s spot) string { return s.title })
}

// headlineOf returns the headline of panels with equal columns. In a headline that is too wide,
// ratios lose their intervals and values the spaces within theirs, before a column is dropped.
func (s *firstScreen) headlineOf(panels []*panel, titles []string, brief bool) []string {
	g := s.gridOf(panels, titles, brief, false)
	if s.terminal.Width > 0 && g.Width() > s.terminal.Width {
		g = s.gridOf(panels, titles, brief, true)
	}
	return g.Lines(s.terminal.Width)
}

// gridOf returns the headline of panels with equal columns, wide or tight.
func (s *firstScreen) gridOf(panels []*panel, titles []string, brief, tight bool) *terminal.Grid {
	g := &terminal.Grid{Color: s.terminal.Color}
	first := terminal.Column{Left: true}
	values := make([][]measure, len(titles))
	extra := map[int][]string{} // lines below a row, by the number of rows before them
	several := vary(s.rows, func(p *record.Point) string { return p.Transport + p.Library }) ||
		slices.ContainsFunc(s.panels, func(p *panel) bool { return len(p.lanes) > 1 })
	switch {
	case len(s.panels) == 1:
		first.Name = panels[0].name
	case !several:
		first.Name = "over " + s.panels[0].lanes[0].of
	}
	rows := 0
	for _, p := range panels {
		spots := p.spots()
		for _, l := range p.lanes {
			if l.other && !s.view.States && l.spotsOf(spots) < 2 {
				continue
			}
			name, room := l.name, max(12, s.terminal.Width-58)
			if tight {
				room = max(12, s.terminal.Width-62)
			}
			switch {
			case len(s.panels) > 1 && several: // the lane tells rows apart
				name = terminal.Snip(p.name, max(4, room-1-utf8.RuneCountInString(l.name))) + " " + l.name
			case len(s.panels) > 1:
				name = p.name
			}
			first.Cells = append(first.Cells, terminal.Snip(name, room))
			algorithms := make([]string, len(spots))
			for i, spot := range spots {
				c, key := spot.pick(l)
				if c == nil {
					values[i] = append(values[i], measure{})
					continue
				}
				values[i] = append(values[i], measureOf(&c.row, key))
				algorithms[i] = c.algorithm()
			}
			rows++
			if !brief && slices.ContainsFunc(algorithms, func(a string) bool { return a != "" }) {
				extra[rows] = append([]string{"  by"}, algorithms...)
			}
		}
		for _, r := range s.ratiosOf(p, !tight) {
			extra[rows] = append([]string{r.name}, r.spots...)
		}
	}
	cells := make([][]string, len(titles))
	for i := range titles {
		cells[i] = align(values[i], tight)
	}
	g.Columns = append(g.Columns, terminal.Column{Name: first.Name, Left: true})
	for i, title := range titles {
		keep := []int{9, 2, 3, 4}[min(i, 3)]
		if i == len(titles)-1 && i > 0 {
			keep = 5
		}
		g.Columns = append(g.Columns, terminal.Column{Name: title, Left: true, Keep: keep})
	}
	for row := 0; row < rows; row++ {
		g.Columns[0].Cells = append(g.Columns[0].Cells, first.Cells[row])
		for i := range titles {
			g.Columns[i+1].Cells = append(g.Columns[i+1].Cells, cells[i][row])
		}
		if line := extra[row+1]; line != nil {
			g.Columns[0].Cells = append(g.Columns[0].Cells, line[0])
			for i := range titles {
				g.Columns[i+1].Cells = append(g.Columns[i+1].Cells, terminal.Snip(line[i+1], 17))
			}
		}
	}
	return g
}

// spotsOf returns the number of columns of the headline for which a lane has a value.
func (l *lane) spotsOf(spots []spot) (n int) {
	for _, spot := range spots {
		if c, key := spot.pick(l); c != nil && c.row.Metrics.Has(key) {
			n++
		}
	}
	return n
}

// A laneRatio is the ratio of a lane to the first transport in the same state of the cores.
type laneRatio struct {
	name  string           // "tcp takes"
	of    string           // the lane
	spots []string         // by column of the headline
	sizes map[int64]string // without intervals
}

// ratiosOf returns the ratios of the further transports of a panel to the first one, in the columns
// of the headline with intervals or without.
func (s *firstScreen) ratiosOf(p *panel, interval bool) []laneRatio {
	base := p.lanes[0]
	var list []laneRatio
	for _, l := range p.lanes[1:] {
		if l.of == base.of || l.other {
			continue
		}
		r := laneRatio{name: l.of + " takes", of: l.of, sizes: map[int64]string{}}
		if first := p.sample(); record.TimeKey(first.Metrics) == "" {
			r.name = l.of + " has"
		}
		some := false
		for _, spot := range p.spots() {
			a, _ := spot.pick(base)
			b, _ := spot.pick(l)
			text := ""
			if a != nil && b != nil && a.row.Size == b.row.Size {
				text = s.ratioText(a, b, interval)
			}
			some = some || text != ""
			r.spots = append(r.spots, text)
		}
		for _, size := range p.sizes {
			if a, b := base.at[size], l.at[size]; a != nil && b != nil {
				r.sizes[size] = strings.TrimSuffix(s.ratioText(a, b, false), " x")
			}
		}
		if some {
			list = append(list, r)
		}
	}
	return list
}

// sample returns a row of a panel.
func (p *panel) sample() record.Point {
	for _, l := range p.lanes {
		for _, size := range p.sizes {
			if c := l.at[size]; c != nil {
				return c.row
			}
		}
	}
	return record.Point{}
}

// ratioText returns the ratio of two contests, each by its fastest algorithm, "" if they have no
// state of the cores in common.
func (s *firstScreen) ratioText(a, b *contest, interval bool) string {
	x, y := s.cellOf(&a.row), s.cellOf(&b.row)
	if x == nil || y == nil {
		return ""
	}
	r, known := pairing{x, y}.ratio()
	if r.Median == 0 {
		return ""
	}
	digits := 2
	if known && human.Rounded(r.Lo, digits) == human.Rounded(r.Hi, digits) {
		digits = 3
	}
	switch text := human.Rounded(r.Median, digits); {
	case !interval || !known:
		return text + " x"
	default:
		return fmt.Sprintf("%s x (%s-%s)", text, human.Rounded(r.Lo, digits), human.Rounded(r.Hi, digits))
	}
}

// A measure is a value with its unit and interval, in parts that are aligned in a column.
type measure struct{ number, unit, interval string }

// align formats the measures of a column, numbers below numbers. Tight ones have no spaces within
// their intervals.
func align(list []measure, tight bool) []string {
	numbers, units, intervals := 0, 0, 0
	for _, m := range list {
		numbers = max(numbers, len(m.number))
		units = max(units, utf8.RuneCountInString(m.unit))
		intervals = max(intervals, utf8.RuneCountInString(m.interval))
	}
	pad := func(s string, width int) string {
		return strings.Repeat(" ", width-utf8.RuneCountInString(s))
	}
	cells := make([]string, len(list))
	for i, m := range list {
		if m.number == "" {
			continue
		}
		s := pad(m.number, numbers) + m.number + " " + m.unit + pad(m.unit, units)
		if m.interval != "" {
			interval := "± " + pad(m.interval, intervals) + m.interval + " %"
			if tight {
				interval = "±" + m.interval + "%"
			}
			s += " " + interval
		}
		cells[i] = strings.TrimRight(s, " ")
	}
	return cells
}

// LaunchLine returns the numbers of one launch in a few words: of each series the first and the
// last column of its headline, of an application its time.
func LaunchLine(points []record.Point) string {
	rows := series.Rows(nil, points, &series.Scales{})
	table := NewTable(nil, Terminal{})
	table.describe(rows)
	var parts []string
	var messages []record.Point
	for _, r := range rows {
		if r.IsApplication() {
			m := measureOf(&r, "run_s")
			parts = append(parts, rowName(&r)+" "+m.number+" "+m.unit)
			continue
		}
		messages = append(messages, r)
	}
	panels := (&split{table: table}).panelsOf(messages)
	for _, p := range panels {
		spots := p.spots()
		for _, l := range p.lanes {
			words := []string{l.of}
			if len(panels) > 1 {
				words = []string{p.name, l.of}
			}
			for i, spot := range spots {
				if c, key := spot.pick(l); !l.other && c != nil && (i == 0 || i == len(spots)-1) {
					m := measureOf(&c.row, key)
					words = append(words, spot.title[strings.Index(spot.title, ",")+1:], m.number, m.unit)
				}
			}
			if len(words) > 2 {
				parts = append(parts, strings.Join(strings.Fields(strings.Join(words, " ")), " "))
			}
		}
	}
	return strings.Join(parts, "; ")
}
