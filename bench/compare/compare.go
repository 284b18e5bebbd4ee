package compare

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"gobench/bench/record"
	"gobench/internal/parallel"
)

// A Source is a set of records with a name, such as that of its file. If files are compared, each
// source is a side.
type Source struct {
	Name string
	File *record.File
}

// Compare compares the sources. If o.By is another factor than the file, the points of all sources
// are joined and compared by that factor. An error reports an invalid request; rows and warnings
// report insufficient data.
func Compare(sources []Source, o Options) (*Result, error) {
	if err := o.fill(); err != nil {
		return nil, err
	}
	c := newCollection(o)
	for _, s := range sources {
		c.add(s)
	}
	c.addImported()
	if err := c.chooseBase(); err != nil {
		return nil, err
	}
	r := &Result{By: o.By, Options: o, Sides: c.summaries(), SameProgram: c.sameProgram(), points: c.points, mixed: c.mixed()}
	cells := c.cells()
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
		r.Nothing = c.nothing(r)
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

	sides    []string
	index    map[string]int
	runs     map[string]facts
	groups   map[string]*group
	alike    map[string][]*group // by the factors that logs of other programs state
	order    []*group
	counts   []sideCount
	points   map[string][]*record.Point // by name of the side
	imported []sided                    // are added last, see addImported
	scales   scales
	without  int // points without the requested metric
}

// sided is a point with its side.
type sided struct {
	side  int
	point *record.Point
}

// sideCount counts the data of a side.
type sideCount struct {
	points      int
	runs        map[string]bool
	first, last time.Time
}

// A group holds the points that agree in all Asked factors.
type group struct {
	sides [][]*record.Point // by index of the side
}

func newCollection(o Options) *collection {
	c := &collection{
		options: o, asked: pick(record.Asked, o.By), chosen: pick(record.Chosen, o.By), hidden: pick(record.Hidden, o.By),
		metrics: metricOrder(o.Metric),
		index:   map[string]int{}, runs: map[string]facts{}, groups: map[string]*group{}, alike: map[string][]*group{},
		points: map[string][]*record.Point{},
	}
	c.scales = newScales(c.runs)
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

func (c *collection) add(s Source) {
	for i := range s.File.Runs {
		c.runs[s.File.Runs[i].ID] = factsOf(&s.File.Runs[i])
		c.scales.run(&s.File.Runs[i])
	}
	for _, l := range s.File.Launches {
		f := c.runs[l.Run]
		if f != nil && l.Program != "" {
			f[programPath] = l.Program
		}
		if f != nil && l.Build != "" {
			f[programBuild] = l.Build
		}
	}
	if c.options.By == byFile {
		c.side(s.Name) // also if it has no points
	}
	for i := range s.File.Points {
		p := &s.File.Points[i]
		if c.options.Metric != "" && p.Metrics[c.options.Metric].N == 0 {
			c.without++
			continue
		}
		side := c.side(c.by(p, s.Name))
		c.scales.note(p)
		c.counts[side].note(p)
		c.points[c.sides[side]] = append(c.points[c.sides[side]], p)
		if p.Library != "" {
			c.imported = append(c.imported, sided{side, p})
			continue
		}
		c.group(p).add(side, p)
	}
}

// note counts a point.
func (s *sideCount) note(p *record.Point) {
	s.points++
	s.runs[p.Run] = true
	if s.first.IsZero() || p.Time.Before(s.first) {
		s.first = p.Time
	}
	if p.Time.After(s.last) {
		s.last = p.Time
	}
}

// group returns the group of a point. It creates the group if necessary.
func (c *collection) group(p *record.Point) *group {
	var key, known strings.Builder
	for _, f := range c.asked {
		text := c.text(f, p)
		key.WriteString(text)
		key.WriteByte(0)
		if !f.Unlogged {
			known.WriteString(text)
			known.WriteByte(0)
		}
	}
	g := c.groups[key.String()]
	if g == nil {
		g = &group{}
		c.groups[key.String()] = g
		c.alike[known.String()] = append(c.alike[known.String()], g)
		c.order = append(c.order, g)
	}
	return g
}

func (g *group) add(side int, p *record.Point) {
	for len(g.sides) <= side {
		g.sides = append(g.sides, nil)
	}
	g.sides[side] = append(g.sides[side], p)
}

// side returns the index of the side of that name. It creates the side if necessary.
func (c *collection) side(name string) int {
	if i, ok := c.index[name]; ok {
		return i
	}
	i := len(c.sides)
	c.index[name] = i
	c.sides = append(c.sides, name)
	c.counts = append(c.counts, sideCount{runs: map[string]bool{}})
	return i
}

// chooseBase moves the base, with which all other sides are compared, to index 0.
func (c *collection) chooseBase() error {
	if c.options.Base == "" {
		return nil
	}
	i, err := c.named(c.options.Base)
	if err != nil {
		return err
	}
	swap := func(sides [][]*record.Point) [][]*record.Point {
		for len(sides) <= i {
			sides = append(sides, nil)
		}
		base := sides[i]
		return slices.Insert(slices.Delete(sides, i, i+1), 0, base)
	}
	for _, g := range c.order {
		g.sides = swap(g.sides)
	}
	base, count := c.sides[i], c.counts[i]
	c.sides = slices.Insert(slices.Delete(c.sides, i, i+1), 0, base)
	c.counts = slices.Insert(slices.Delete(c.counts, i, i+1), 0, count)
	return nil
}

// named returns the index of a side by its full name or by the last element of its path, with or
// without .jsonl.
func (c *collection) named(name string) (int, error) {
	if i, ok := c.index[name]; ok {
		return i, nil
	}
	var fitting []string
	for _, side := range c.sides {
		if base := path.Base(side); base == name || strings.TrimSuffix(base, ".jsonl") == name {
			fitting = append(fitting, side)
		}
	}
	switch len(fitting) {
	case 0:
		return 0, fmt.Errorf("no result has %s %q; the results have %s", c.options.By, name, strings.Join(quoted(c.sides), ", "))
	case 1:
		return c.index[fitting[0]], nil
	}
	return 0, fmt.Errorf("%s %q is ambiguous: %s", c.options.By, name, strings.Join(quoted(fitting), " or "))
}

func quoted(names []string) []string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = fmt.Sprintf("%q", name)
	}
	return list
}

// summaries describes the sides.
func (c *collection) summaries() []Side {
	var list []Side
	for i, name := range c.sides {
		s := Side{Name: name, Points: c.counts[i].points, Launches: len(c.counts[i].runs)}
		for run := range c.counts[i].runs {
			if host := c.runs[run][hostName]; host != "" && !slices.Contains(s.Hosts, host) {
				s.Hosts = append(s.Hosts, host)
			}
		}
		slices.Sort(s.Hosts)
		list = append(list, s)
	}
	return list
}
