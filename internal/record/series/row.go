package series

import (
	"cmp"
	"strings"

	"gobench/internal/bench/state"
	"gobench/internal/collect"
	"gobench/internal/parallel"
	"gobench/record"
	"gobench/stats"
)

// Rows returns the rows of the cells of points (see Cells), in their order: one for each state of
// the cores that occurred, nearest first.
//
// A row is a point with Launches, State and the facts of its runs. Of each metric, Median is the
// median of the launches, Lo and Hi are its interval between launches (absent below 6 launches),
// Within is the median of the half widths within a launch, N is the number of samples of all
// launches, percentiles are the medians of those of the launches, Mean is the mean of their means,
// Min and Max are the extremes of all; each of these is absent if a launch lacks it. Implausible
// rows have a warning.
func Rows(runs []record.Run, points []record.Point, scales *Scales) []record.Point {
	return RowsOf(Cells(runs, points, scales), scales)
}

// RowsOf returns the rows of cells that are assembled already, by the same scales.
func RowsOf(cells []*Cell, scales *Scales) []record.Point {
	type source struct {
		*Cell
		in state.State
	}
	var sources []source
	var of []*state.Scale // of each row
	for _, c := range cells {
		for _, in := range c.shown() {
			sources, of = append(sources, source{c, in}), append(of, scales.Of(c.Run))
		}
	}
	rows := make([]record.Point, len(sources))
	const block = 32 // rows take longer than the start of a task
	parallel.For((len(rows)+block-1)/block, func(n int) {
		for i := n * block; i < min((n+1)*block, len(rows)); i++ {
			rows[i] = sources[i].row(sources[i].in)
		}
	})
	doubt(rows, of)
	return rows
}

// shown returns the states that have a row. If the cell has several states, it leaves out states
// that occurred in at most one launch of four, and points whose state changed.
func (c *Cell) shown() (states []state.State) {
	largest := 0
	for _, points := range c.States {
		largest = max(largest, len(points))
	}
	for s, points := range c.States {
		in, n := state.State(s), len(points)
		if n > 0 && (n == largest || 4*n > c.Launches && in.Pair() != state.Changing) {
			states = append(states, in)
		}
	}
	return states
}

// identify adds the facts of the run to a row.
func (c *Cell) identify(row *record.Point) {
	name := row.Options["library"]
	if c.Run != nil {
		row.Label, row.Map, row.Host = c.Run.Label, c.Run.Job.Map(), strings.Join(c.Run.HostNames(), " ")
		if row.Library == "" {
			row.Commit = c.Run.Fact("commit")
			name = cmp.Or(name, strings.TrimSpace("gobench "+c.Run.Fact("version")))
		}
	}
	row.LibraryVersion = cmp.Or(row.Library, name)
}

// row summarises the launches in which a state occurred.
func (c *Cell) row(in state.State) record.Point {
	points := c.States[in]
	sum := newSummary(points)
	r := *sum.one // other fields come from the median launch
	r.Launches, r.State = len(points), ""
	if in != state.Unknown {
		r.State = in.String()
	}
	r.Metrics = record.Values{}
	var caveats []string // warnings about the interval
	for key := range sum.metrics.Keys() {
		if v, said := sum.value(key); v.N > 0 {
			if r.Metrics.Set(key, v); key == sum.main {
				caveats = said
			}
		}
	}
	r.Iterations, r.Checked, r.Invalid, r.WarmupDropped, r.Duration = 0, 0, 0, 0, 0
	r.StateDistance, r.StateShare, r.Steal, r.Batched = 0, 0, 0, 0
	for _, p := range points {
		r.Iterations += p.Iterations
		r.Checked += p.Checked
		r.Invalid += p.Invalid
		r.WarmupDropped += p.WarmupDropped
		r.Duration += p.Duration
		r.StateShare += p.StateShare / float64(c.Launches)
		r.Steal += p.Steal / float64(len(points))
		r.Batched = max(r.Batched, p.Batched)
	}
	r.StateShare = min(r.StateShare, 1)
	if d := distances(points); len(d) > 0 && in.Pair() != state.Unknown && in.Pair() != state.Changing {
		r.StateDistance = stats.Median(d)
	}
	r.Loop = stats.Median(collect.Each(points, func(p *record.Point) float64 { return p.Loop }))
	r.Warnings = append(Warnings(points), caveats...)
	r.Launch, r.Block, r.Seed, r.Histogram = 0, 0, 0, ""
	if r.Round > 0 {
		r.Round = r.Launches
	}
	c.identify(&r)
	return r
}
