package report

import (
	"cmp"
	"slices"
	"strings"

	"gobench/internal/bench/state"
	"gobench/internal/collect"
	"gobench/internal/record/series"
	"gobench/record"
)

// A panel holds the rows of one benchmark with equal factors other than the transport, the size of
// messages and the algorithm: what one table by size compares.
type panel struct {
	name  string // "pingpong", "allreduce, 4 ranks"
	lanes []*lane
	sizes []int64 // of all lanes, in ascending order
}

// A lane is one series of a panel: a transport, on cores in one state.
type lane struct {
	name  string // "smem", "smem near"
	of    string // the lane without its state
	in    state.State
	other bool // a state that is not the one in most launches
	at    map[int64]*contest
}

// A contest holds the row of one size of a lane: that of the fastest algorithm, if several ran.
type contest struct {
	row    record.Point
	race   race
	inLane bool // the row is of the state of the lane
}

// A split assigns rows to panels and lanes.
type split struct {
	table *Table
	view  View
}

// panelsOf splits the rows of messages (not of applications) into panels.
func (s *split) panelsOf(rows []record.Point) []*panel {
	var panels []*panel
	for _, of := range collect.By(rows, func(r record.Point) string { return s.panelName(&r) }) {
		panels = append(panels, s.panel(s.panelName(&of[0]), of))
	}
	shorten(panels)
	slices.SortStableFunc(panels, func(a, b *panel) int { return a.rank() - b.rank() })
	return panels
}

// rank orders panels: ping-pong, other benchmarks of messages, collectives.
func (p *panel) rank() int {
	switch sample := p.sample(); {
	case sample.Metrics.Has("half_rtt_s"):
		return 0
	case sample.Algorithm == "":
		return 1
	default:
		return 2
	}
}

// inLane lists the factors that are part of the name of a lane or of a row, not of a panel.
var inLane = []string{"transport", "size_B", "algorithm", "options", "memory", "cores", "start", "mtu_B", "placement", "library"}

// panelName describes what the rows of a panel have in common.
func (s *split) panelName(p *record.Point) string {
	words := []string{p.Bench}
	for i := range record.Factors {
		f := &record.Factors[i]
		switch {
		case f.Role == record.Outcome || f.Role == record.Hidden || f.Name == "bench" || slices.Contains(inLane, f.Name):
		case f.Name == "root" && p.Root == "0" || f.Name == "ranks" && p.Ranks == 2 || f.Name == "level":
		case !f.IsDefault(p):
			words = append(words, f.Say(p))
		}
	}
	if usual := map[bool]string{true: "comm", false: "device"}[p.Algorithm != ""]; p.Level != usual {
		words = append(words, "level "+p.Level)
	}
	return strings.Join(words, ", ")
}

// shorten removes the words that all panels have in common but the name of the benchmark.
func shorten(panels []*panel) {
	if len(panels) < 2 {
		return
	}
	common := strings.Split(panels[0].name, ", ")[1:]
	for _, p := range panels {
		words := strings.Split(p.name, ", ")
		common = slices.DeleteFunc(common, func(w string) bool { return !slices.Contains(words[1:], w) })
	}
	for _, p := range panels {
		words := strings.Split(p.name, ", ")
		p.name = strings.Join(append(words[:1:1], slices.DeleteFunc(words[1:], func(w string) bool { return slices.Contains(common, w) })...), ", ")
	}
}

// laneName returns the series of a row without the state of its cores.
func (s *split) laneName(p *record.Point) string {
	words := []string{p.Transport}
	if p.Library != "" {
		words[0] = p.Library
	}
	if s.table.pairs {
		words = append(words, list(p.Cores))
	}
	if s.table.onHosts && p.Host != "" {
		words = append(words, strings.ReplaceAll(p.Host, " ", "+"))
	}
	if s.table.labels && p.Label != "" {
		words = append(words, p.Label)
	}
	if p.Memory == "device" {
		words = append(words, "device memory")
	}
	for _, d := range s.table.details {
		if text := d(p); text != "" && !slices.Contains(words, text) {
			words = append(words, text)
		}
	}
	return strings.Join(words, " ")
}

// panel makes the lanes of the rows of a panel: of each series first the state of the cores in most
// launches, then those others in which a cell differs from it.
func (s *split) panel(name string, rows []record.Point) *panel {
	p := &panel{name: name}
	for _, r := range rows {
		p.sizes = collect.Union(p.sizes, r.Size)
	}
	slices.Sort(p.sizes)
	for _, of := range collect.By(rows, func(r record.Point) string { return s.laneName(&r) }) {
		p.lanes = append(p.lanes, s.lanes(s.laneName(&of[0]), of)...)
	}
	return p
}

// lanes returns the lanes of one series.
func (s *split) lanes(name string, rows []record.Point) []*lane {
	var launches [state.Count]int
	for i := range rows {
		launches[rowState(&rows[i])] += max(1, rows[i].Launches)
	}
	usual := state.Common(launches)
	var others []state.State
	for _, cell := range byCell(rows) {
		main := mainState(cell)
		if i := slices.IndexFunc(cell, func(r record.Point) bool { return rowState(&r) == usual }); i >= 0 {
			main = i
		}
		for i := range cell {
			if in := rowState(&cell[i]); in != usual && i != main && (s.view.States || differs(&cell[main], &cell[i])) {
				others = collect.Union(others, in)
			}
		}
	}
	slices.Sort(others)
	list := []*lane{laneOf(name, usual, rows, true)}
	for _, in := range others {
		l := laneOf(name, in, rows, false)
		l.other = true
		list = append(list, l)
	}
	if len(list) > 1 {
		for _, l := range list {
			l.name += " " + strings.ReplaceAll(l.in.String(), " ", "-")
		}
	}
	return list
}

// laneOf returns the lane of a state. Where a size was not measured in it, fill takes the row of
// the state in most launches.
func laneOf(name string, in state.State, rows []record.Point, fill bool) *lane {
	l := &lane{name: name, of: name, in: in, at: map[int64]*contest{}}
	for _, r := range rows {
		if rowState(&r) == in {
			l.add(r, true)
		}
	}
	if !fill {
		return l
	}
	for _, cell := range byCell(rows) {
		r := cell[mainState(cell)]
		if c := l.at[r.Size]; c == nil || !c.inLane {
			l.add(r, false)
		}
	}
	return l
}

// add adds a row to the contest of its size.
func (l *lane) add(r record.Point, inLane bool) {
	c := l.at[r.Size]
	if c == nil {
		c = &contest{row: r, inLane: inLane}
		l.at[r.Size] = c
	} else if faster(&r, &c.row) {
		c.row = r
	}
	if key := record.TimeKey(r.Metrics); r.Algorithm != "" && key != "" {
		c.race.entries = append(c.race.entries, entry{r.Algorithm, r.Metrics.Get(key)})
	}
}

// faster reports whether the main metric of a row is better than that of another one.
func faster(a, b *record.Point) bool {
	key := series.Main(a.Metrics)
	x, y := a.Metrics.Median(key), b.Metrics.Median(key)
	if m, _ := record.Lookup(key); m.Direction == record.Higher {
		x, y = y, x
	}
	return cmp.Less(x, y)
}
