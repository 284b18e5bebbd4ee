package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"gobench/internal/bench/state"
	"gobench/internal/collect"
	"gobench/internal/parallel"
	"gobench/internal/record/series"
	"gobench/record"
)

// A Source is a set of records with a name, such as that of its file. If files are compared, each
// source is a side.
type Source struct {
	Name string
	File *record.File
}

// Compare compares the sources. If o.By is another factor than the file, the points of all sources
// are joined and compared by that factor. Each row occurs once (record.Repeats). An error reports
// an invalid request; rows and warnings report insufficient data.
func Compare(sources []Source, o Options) (*Result, error) {
	if err := o.fill(); err != nil {
		return nil, err
	}
	c := newCollection(o)
	c.read(sources)
	if err := c.arrange(); err != nil {
		return nil, err
	}
	r := &Result{By: o.By, Options: o, Sides: c.summaries(), SameProgram: c.sameProgram(), points: map[string][]*record.Point{}, mixed: c.mixed()}
	for i, side := range c.sides {
		r.points[side] = c.bySide[i]
	}
	cells := c.cells()
	r.implied = c.implications()
	r.SameProgram = r.SameProgram && len(r.implied) == 0
	r.Failed = c.failed()
	parts := make([]Result, len(cells))
	parallel.For(len(cells), func(i int) { c.rows(&parts[i], cells[i]) })
	for i := range parts {
		r.Rows = append(r.Rows, parts[i].Rows...)
		r.Missing = append(r.Missing, parts[i].Missing...)
		r.foreign = cmp.Or(r.foreign, parts[i].foreign)
	}
	r.measure()
	r.judge()
	if len(r.Rows) == 0 {
		r.nothing = sync.OnceValue(func() string { return c.nothing(r) })
	}
	r.times = c.times(r)
	r.Warnings = append(r.Warnings, c.warnings(r)...)
	r.Method = r.method()
	return r, nil
}

// collection sorts points into sides and groups of cells.
type collection struct {
	options Options
	asked   []record.Factor
	chosen  []record.Factor
	hidden  []record.Factor
	metrics []record.Metric
	by      func(p *record.Point, source string) string

	sources []Source
	sides   []string
	index   map[string]int // of the sides, by name
	bySide  [][]*record.Point
	counts  []sideCount
	runs    map[string]facts
	alike   map[string]facts  // of runs of one program on the same hosts
	flat    map[uintptr]facts // see factsOf
	scales  series.Scales
	states  states
	// equal for points of one cell, if all or none are of round trips; from 1
	kinds    map[*record.Point]int
	lastKind int
	without  int               // points without the requested metric
	logged   bool              // there are results of other programs
	implied  [][]record.Factor // of each side, see impliedBy
}

// sideCount counts the data of a side.
type sideCount struct {
	points      int
	runs        map[string]bool
	first, last time.Time
	undated     bool // the log of an imported result does not state its time
}

func newCollection(o Options) *collection {
	c := &collection{
		options: o, asked: pick(record.Asked, o.By), chosen: pick(record.Chosen, o.By), hidden: pick(record.Hidden, o.By),
		metrics: metricOrder(o.Metric),
		index:   map[string]int{}, runs: map[string]facts{}, alike: map[string]facts{}, flat: map[uintptr]facts{}, states: states{}, kinds: map[*record.Point]int{},
	}
	for _, f := range runFactors {
		if f.Name != o.By {
			c.chosen = append(c.chosen, f)
		}
	}
	c.by = c.value(o.By)
	return c
}

// hostName is the fact that identifies machines.
const hostName = "host.hostname"

// runFactors separate cells if a side has several machines, placements of the ranks on them,
// programs of a sweep, or labels. Their values are facts of the run.
var runFactors = []record.Factor{
	{Name: hostName, Role: record.Chosen}, {Name: hostMap, Role: record.Chosen},
	{Name: programPath, Role: record.Chosen}, {Name: labelName, Role: record.Chosen},
}

// value returns a function that returns the side of a point.
func (c *collection) value(by string) func(p *record.Point, source string) string {
	if by == byFile {
		return func(_ *record.Point, source string) string { return source }
	}
	if name, ok := strings.CutPrefix(by, optionPrefix); ok {
		return func(p *record.Point, _ string) string { return p.Options[name] }
	}
	for _, f := range record.Factors {
		if f.Name == by && f.Role != record.Outcome {
			return func(p *record.Point, _ string) string {
				if s := f.Text(p); s != "" || by != libraryName {
					return s
				}
				if p.Transport == "mpi" && !c.logged { // gobench over the messages of another library
					return cmp.Or(p.Options[libraryName], own)
				}
				return own
			}
		}
	}
	return func(p *record.Point, _ string) string { return c.runs[p.Run][by] }
}

// own is the name of results without a library.
const (
	own         = "gobench"
	libraryName = "library"
)

// read assembles the points of the sources and assigns them to the sides.
func (c *collection) read(sources []Source) {
	c.sources = sources
	for _, s := range sources {
		c.addRuns(s.File)
		c.logged = c.logged || slices.ContainsFunc(s.File.Points, func(p record.Point) bool { return p.Library != "" })
	}
	if c.options.By != byFile {
		c.add(sources...)
		return
	}
	for _, s := range sources {
		c.side(s.Name) // also if it has no points
		c.add(s)
	}
}

// addRuns adds the runs of a file and what it tells of their machines.
func (c *collection) addRuns(file *record.File) {
	launchOf := record.LaunchOf(file.Launches)
	for i := range file.Runs {
		r := &file.Runs[i]
		l := cmp.Or(launchOf(r), &record.Launch{})
		// Of several files with a run, one may have its launch.
		if c.runs[r.ID] == nil || l.Program != "" || l.Build != "" {
			key := fmt.Sprintf("%p %q %q %q %q %q %q", r.Program, r.Label, r.Tags, r.Job.Launcher, r.Job.Map(), l.Program, l.Build)
			for _, host := range r.Hosts {
				key += fmt.Sprintf(" %p", host)
			}
			if c.alike[key] == nil {
				c.alike[key] = factsOf(r, l, c.flat)
			}
			c.runs[r.ID] = c.alike[key]
		}
	}
	c.scales.Observe(file.Runs, file.Points)
}

// add assigns the points of sources, joined, to the sides, one of each launch and state of a cell.
func (c *collection) add(sources ...Source) {
	files := collect.Each(sources, func(s Source) *record.File { return s.File })
	for _, cell := range series.CellsOf(files, &c.scales) {
		c.lastKind += 2
		for in, points := range cell.States {
			for _, p := range points {
				if c.options.Metric != "" && p.Metrics.Get(c.options.Metric).N == 0 {
					c.without++
					continue
				}
				side := c.side(c.by(p, sources[0].Name))
				c.states[p] = state.State(in)
				if c.kinds[p] = c.lastKind; roundTrip(p) {
					c.kinds[p]++
				}
				c.counts[side].count(p)
				c.bySide[side] = append(c.bySide[side], p)
			}
		}
	}
}

// count counts a point.
func (s *sideCount) count(p *record.Point) {
	s.points++
	s.runs[p.Run] = true
	if p.Time.IsZero() {
		s.undated = true
		return
	}
	if s.first.IsZero() || p.Time.Before(s.first) {
		s.first = p.Time
	}
	if p.Time.After(s.last) {
		s.last = p.Time
	}
}

// side returns the index of the side of that name. It creates the side if necessary.
func (c *collection) side(name string) int {
	if i, ok := c.index[name]; ok {
		return i
	}
	i := len(c.sides)
	c.index[name] = i
	c.sides = append(c.sides, name)
	c.bySide = append(c.bySide, nil)
	c.counts = append(c.counts, sideCount{runs: map[string]bool{}})
	return i
}
