package report

import (
	"fmt"
	"slices"
	"strings"

	"gobench/internal/bench/state"
	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/record/series"
	"gobench/record"
	"gobench/stats"
)

// remarks collects the text printed below a block.
type remarks struct {
	timeMetric string
	precision  float64
	wide       bool
	noP99      bool
	method     []string // clauses that are true of all points
	routes     []string // network interfaces in use, each once
	points     int
	warnings   []warning // in the order of their first appearance
	races      races
	scale      state.Scale
	states     [state.Count]int // rows
	nearest    float64          // of all rows, seconds
	smallest   int              // launches of a row
	largest    int
	rounds     bool
}

// A warning stands for all warnings that differ only in their numbers.
type warning struct {
	kind  string   // see series.WarningKind
	first string   // the text of the first
	alike bool     // all texts are equal
	where []string // sizes of messages, or problems
}

func (n *remarks) add(p *record.Point) {
	n.timeMetric = record.TimeKey(p.Metrics)
	n.precision = p.Precision
	n.wide = n.wide || wide(p)
	n.noP99 = n.noP99 || p.Metrics.Get(record.TimeKey(p.Metrics)).P99 == 0
	clauses := strings.Split(p.Method, "; ")
	if n.points++; n.points == 1 {
		n.method = clauses
	}
	n.method = slices.DeleteFunc(n.method, func(c string) bool { return c == "" || !slices.Contains(clauses, c) })
	if p.Route != "" && !slices.Contains(n.routes, p.Route) {
		n.routes = append(n.routes, p.Route)
	}
	in := stateOf(p, n.scale)
	n.races.add(p, in)
	n.states[in]++
	if d := p.StateDistance; d > 0 && (n.nearest == 0 || d < n.nearest) {
		n.nearest = d
	}
	launches := max(1, p.Launches)
	if n.points == 1 || launches < n.smallest {
		n.smallest = launches
	}
	n.largest = max(n.largest, launches)
	n.rounds = n.rounds || p.Round > 0
	for _, w := range p.Warnings {
		n.warn(w, location(p))
	}
}

// location returns the location of a point for warnings: the message size, or the problem of an
// application.
func location(p *record.Point) string {
	if p.IsApplication() {
		return fmt.Sprintf("%s, %s ranks", problem(p), ranksColumn.cell(p))
	}
	return human.Size(p.Size)
}

// CellName returns the name of the cell of a row, for a sentence.
func CellName(p *record.Point) string {
	if p.IsApplication() {
		return fmt.Sprintf("%s over %s", location(p), p.Transport)
	}
	s := p.Bench
	if p.Algorithm != "" {
		s += " " + p.Algorithm
	}
	return fmt.Sprintf("%s over %s, %d ranks, %s", s, p.Transport, p.Ranks, location(p))
}

func (n *remarks) warn(text, where string) {
	i := slices.IndexFunc(n.warnings, func(w warning) bool { return w.first == text })
	if i < 0 {
		kind := series.WarningKind(text)
		if i = slices.IndexFunc(n.warnings, func(w warning) bool { return w.kind == kind }); i < 0 {
			i = len(n.warnings)
			n.warnings = append(n.warnings, warning{kind: kind, first: text, alike: true})
		}
	}
	w := &n.warnings[i]
	w.alike = w.alike && w.first == text
	w.where = collect.Union(w.where, where)
}

func (n *remarks) lines(columns []column) []string {
	var legend []string
	if shown(columns, secondsColumn) {
		return append([]string{applicationLegend(columns, n.largest)}, n.remarks()...)
	}
	if n.timeMetric != "" {
		legend = append(legend, "t = "+timeName(n.timeMetric)+", median of the n launches")
	} else {
		legend = append(legend, "medians of the n launches")
	}
	switch {
	case n.largest == 1:
		legend = append(legend, "one "+strings.TrimPrefix(launchesText(1, n.rounds), "1 ")+" has no ±: it says nothing about the next")
	case n.largest < stats.MinLaunches:
		legend = append(legend, fmt.Sprintf("no ± below %d launches", stats.MinLaunches))
	case n.wide:
		legend = append(legend, fmt.Sprintf("± = 95 %% interval between launches, ! wider than the %g %% asked", 100*n.precision))
	default:
		legend = append(legend, "± = 95 % interval between launches")
	}
	if n.largest >= stats.MinLaunches && n.smallest < stats.MinLaunches {
		legend = append(legend, fmt.Sprintf("- below %d launches", stats.MinLaunches))
	}
	if shown(columns, withinColumn) {
		legend = append(legend, "in = the same inside one launch")
	}
	if n.noP99 && shown(columns, p99Column) {
		legend = append(legend, "p99 - = timed in batches, or too few samples")
	}
	if shown(columns, coresColumn(n.scale)) {
		legend = append(legend, coresLegend)
	}
	if shown(columns, busColumn) {
		bus := "bus = what the busiest link must carry / t, MB = 10^6 bytes"
		if shown(columns, aggregateColumn) {
			bus = "agg = size x ranks / t, " + bus
		}
		if shown(columns, algorithmicColumn) {
			bus = "alg = size / t, " + bus
		}
		legend = append(legend, bus)
	} else if shown(columns, bandwidthColumn) {
		legend = append(legend, "Mbytes = 10^6 bytes")
	}
	return append([]string{strings.Join(legend, "; ")}, n.remarks()...)
}

// remarks returns the method and the warnings.
func (n *remarks) remarks() []string {
	var lines []string
	if len(n.method) > 0 {
		lines = append(lines, "method: "+strings.Join(n.method, "; "))
	}
	lines = append(lines, collect.Each(n.routes, func(r string) string { return "network: " + r })...)
	if line := n.far(); line != "" {
		lines = append(lines, line)
	}
	lines = append(lines, n.races.lines()...)
	lines = append(lines, collect.Each(n.warnings, warning.String)...)
	return lines
}

// far returns a warning if no row was measured on the nearest cores of this machine.
func (n *remarks) far() string {
	in := n.scale.Of(n.nearest)
	if n.states[state.Near] > 0 || n.states[state.Near+1] > 0 || in == state.Near || in == state.Unknown {
		return ""
	}
	return fmt.Sprintf("warning: cores are %v (%s ns; %s ns is possible here): small messages take several times as long as on near ones",
		in, nanos(n.nearest), nanos(n.scale.Distance))
}

func (w warning) String() string {
	s := fmt.Sprintf("warning (%s): %s", locationList(w.where), w.first)
	if !w.alike {
		s += fmt.Sprintf(" [numbers of %s]", w.where[0])
	}
	return s
}

// timeName returns the name of the metric in column t.
func timeName(key string) string {
	if m, ok := record.Lookup(key); ok && m.Name != "t" {
		return m.Name
	}
	return "time of one iteration"
}

func shown(columns []column, c column) bool {
	return slices.ContainsFunc(columns, func(other column) bool { return other.name == c.name })
}

// locationList formats at most four locations and the number of further ones.
func locationList(locations []string) string {
	const largest = 4
	if len(locations) > largest {
		locations = append(locations[:largest:largest], fmt.Sprintf("and %d more", len(locations)-largest))
	}
	return strings.Join(locations, ", ")
}

// FormatSize formats bytes in the largest binary unit that divides them: 0 B, 8 B, 64 KiB, 4 MiB.
func FormatSize(n int64) string { return human.Size(n) }
