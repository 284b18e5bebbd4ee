// Package series assembles the points of launches into cells and rows. It is the only place that
// says what one value is: tables, figures, CSV, JSON and comparisons count its launches.
//
// A Cell is what was asked for: the factors of record.Factors that separate cells, the hosts, the
// placement of the ranks on them, and the label. Cells lists for each state of the cores one point
// of each launch. Value and Rows combine these to the median of the launches' medians with its
// interval between launches. The unit is the launch, because thousands of samples within a launch
// do not predict the next one (Kalibera and Jones 2013; rule 8 of docs/methods.md).
//
// Rows that are read twice are dropped before, by record.Repeats.
package series

import (
	"cmp"
	"slices"
	"strings"

	"gobench/internal/bench/state"
	"gobench/internal/collect"
	"gobench/record"
)

// A Cell holds the launches of one cell.
type Cell struct {
	Run      *record.Run // of its first point; nil if the records lack it
	Launches int         // that measured the cell, in any state of the cores

	// States holds, for each state of the cores, one point of each launch in which it occurred, in
	// the order of time. A launch may occur in several states.
	States [state.Count][]*record.Point

	number int32 // in the order of the first points, from 0
}

// Cells assembles points into cells, in the order of their first points. Points of random blocks of
// a sweep (Point.Block) have no order of their own: their cells are sorted by their factors, then
// by size. runs are the runs of the points; runs and points are noted in scales, by which the
// states are determined.
//
// A launch has one point for each state. If it has several in one state, because it classified the
// cores by its own scale, the one with most samples counts. Points whose state is not known
// join the only known state of their cell if the ranks were pinned: the cores are factors of cells.
func Cells(runs []record.Run, points []record.Point, scales *Scales) []*Cell {
	return CellsOf([]*record.File{{Runs: runs, Points: points}}, scales)
}

// CellsOf is Cells for the rows of several files, as if they were joined. The points belong to
// the files.
func CellsOf(files []*record.File, scales *Scales) []*Cell {
	known := map[string]*record.Run{}
	for _, f := range files {
		for id, run := range scales.Observe(f.Runs, f.Points) {
			if known[id] == nil {
				known[id] = run
			}
		}
	}
	a := assembly{cells: map[string]*Cell{}, slots: map[slot]*[state.Count]int32{}, runs: map[string]*runOf{}, keys: record.CellKeys{}}
	var order []*Cell
	shuffled := false
	for _, f := range files {
		for i := range f.Points {
			p := &f.Points[i]
			a.seeRun(p.Run, known, scales)
			c, added := a.cellOf(p)
			if added {
				order = append(order, c)
			}
			a.add(c, a.run.scale.OfPoint(p), p)
			shuffled = shuffled || p.Block > 0
		}
	}
	for _, c := range order {
		a.joinUnknown(c)
		for _, points := range c.States {
			slices.SortStableFunc(points, func(a, b *record.Point) int { return a.Time.Compare(b.Time) })
		}
	}
	if shuffled {
		compare := record.Order(collect.Each(order, (*Cell).First))
		slices.SortStableFunc(order, func(x, y *Cell) int {
			p, q := x.First(), y.First()
			return cmp.Or(compare(p, q), strings.Compare(a.runs[p.Run].location, a.runs[q.Run].location), cmp.Compare(p.Size, q.Size))
		})
	}
	return order
}

// First returns the first point of the first state that occurred. It has the factors of the
// cell.
func (c *Cell) First() *record.Point {
	for _, points := range c.States {
		if len(points) > 0 {
			return points[0]
		}
	}
	return nil
}

// An assembly sorts points into cells.
type assembly struct {
	cells map[string]*Cell // by place, label and factors
	slots map[slot]*[state.Count]int32
	runs  map[string]*runOf
	run   *runOf // of the last point
	keys  record.CellKeys
	key   []byte
}

// A runOf holds what all points of a run have in common.
type runOf struct {
	*record.Run // nil = not known
	id          string
	number      int32  // from 0
	location    string // and label
	scale       *state.Scale
}

// A slot identifies a launch of a cell: the number of the cell in the upper 32 bits, that of the
// run in the others. For each state, slots holds the position of its point in the list, from 1; 0 =
// none.
type slot uint64

// seeRun sets run. Most points follow others of their run.
func (a *assembly) seeRun(id string, known map[string]*record.Run, scales *Scales) {
	if a.run != nil && a.run.id == id {
		return
	}
	a.run = a.runs[id]
	if a.run != nil {
		return
	}
	a.run = &runOf{Run: known[id], id: id, number: int32(len(a.runs)), scale: scales.Of(known[id])}
	if a.run.Run != nil {
		a.run.location = a.run.Location() + "\x00" + a.run.Label
	}
	a.runs[id] = a.run
}

// cellOf returns the cell of a point of run, and whether it is new.
func (a *assembly) cellOf(p *record.Point) (c *Cell, added bool) {
	a.key = a.keys.Append(append(append(a.key[:0], a.run.location...), 0), p)
	if c = a.cells[string(a.key)]; c == nil {
		c, added = &Cell{Run: a.run.Run, number: int32(len(a.cells))}, true
		a.cells[string(a.key)] = c
	}
	return c, added
}

// add adds a point of a launch, that of run, in a state, or keeps the one that the launch has in
// this state, whichever has more samples.
func (a *assembly) add(c *Cell, in state.State, p *record.Point) {
	launch := slot(c.number)<<32 | slot(a.run.number)
	at := a.slots[launch]
	if at == nil {
		at = new([state.Count]int32)
		a.slots[launch] = at
		c.Launches++
	}
	if i := at[in]; i == 0 {
		c.States[in] = append(c.States[in], p)
		at[in] = int32(len(c.States[in]))
	} else if p.Iterations > c.States[in][i-1].Iterations {
		c.States[in][i-1] = p
	}
}

// joinUnknown moves points whose state is not known to the only known state of the cell, separately
// for cores that were slowed and those that were not.
func (a *assembly) joinUnknown(c *Cell) {
	for _, slow := range []state.State{0, 1} {
		from, to, candidates := state.Unknown+slow, state.Unknown, 0
		for _, pair := range []state.State{state.Near, state.Middle, state.Far} {
			if len(c.States[pair+slow]) > 0 {
				to = pair + slow
				candidates++
			}
		}
		if points := c.States[from]; candidates == 1 && len(points) > 0 && pinned(points[0].Cores) {
			c.States[from] = nil
			for _, p := range points {
				a.run = a.runs[p.Run]
				a.add(c, to, p)
			}
		}
	}
}

// pinned reports whether all ranks have a core.
func pinned(cores []int) bool { return len(cores) > 0 && !slices.Contains(cores, -1) }

// Scales holds the scales of core distances and speeds of machines. The zero value knows none.
type Scales struct {
	of       map[string]*state.Scale // by the names of the hosts
	runs     map[*record.Run]*state.Scale
	recorded map[measurement]struct{}
	ids      map[string]int32 // numbers of runs, from 0
}

// A measurement identifies a value that a cell of a launch has measured, or, without a time, what
// was known when the run began. The states of a cell have one time, and may share a distance that
// was measured before or after all of them.
type measurement struct {
	time           int64 // nanoseconds since 1970
	run            int32 // number
	distance, loop float64
}

// first reports whether a measurement is noted for the first time. One that is noted again would
// confirm itself.
func (s *Scales) first(m measurement) bool {
	before := len(s.recorded)
	s.recorded[m] = struct{}{}
	return len(s.recorded) > before
}

// number returns the number of a run.
func (s *Scales) number(id string) int32 {
	n, ok := s.ids[id]
	if !ok {
		n = int32(len(s.ids))
		s.ids[id] = n
	}
	return n
}

// Observe adds what runs and points tell of their machines, each once. It returns the runs by their
// IDs.
func (s *Scales) Observe(runs []record.Run, points []record.Point) map[string]*record.Run {
	if s.recorded == nil {
		s.recorded, s.ids = make(map[measurement]struct{}, len(points)), map[string]int32{}
	}
	known := make(map[string]*record.Run, len(runs))
	for i := range runs {
		if known[runs[i].ID] == nil {
			known[runs[i].ID] = &runs[i]
			if s.first(measurement{run: s.number(runs[i].ID)}) {
				s.Of(&runs[i]).AddRun(&runs[i])
			}
		}
	}
	run, number, scale := "", int32(-1), (*state.Scale)(nil) // of the last point
	for i := range points {
		p := &points[i]
		if number < 0 || p.Run != run {
			run, number, scale = p.Run, s.number(p.Run), s.Of(known[p.Run])
		}
		distance, loop := state.Measured(p)
		at := measurement{run: number, time: p.Time.UnixNano(), distance: distance}
		if distance > 0 && (p.Time.IsZero() || s.first(at)) {
			scale.Add(distance)
		}
		if at.distance, at.loop = 0, loop; loop > 0 && (p.Time.IsZero() || s.first(at)) {
			scale.AddLoop(loop)
		}
	}
	return known
}

// Of returns the scale of the machines of a run, which may be nil.
func (s *Scales) Of(run *record.Run) *state.Scale {
	if scale := s.runs[run]; scale != nil {
		return scale
	}
	if s.of == nil {
		s.of, s.runs = map[string]*state.Scale{}, map[*record.Run]*state.Scale{}
	}
	name := ""
	if run != nil {
		name = strings.Join(slices.Sorted(slices.Values(run.HostNames())), " ")
	}
	scale := s.of[name]
	if scale == nil {
		scale = new(state.Scale)
		s.of[name] = scale
	}
	s.runs[run] = scale
	return scale
}
