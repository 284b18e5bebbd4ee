package compare

import (
	"fmt"
	"slices"
	"strings"

	"gobench/bench/record"
	"gobench/internal/parallel"
)

// Source is a set of records with the name that it has as a side, such as
// that of its file.
type Source struct {
	Name string
	File *record.File
}

// Compare compares the sources, or, where another factor than the file is
// compared, all points of them together. An error is a mistake of the person who asked;
// data that say nothing are rows that say so, or warnings.
func Compare(sources []Source, o Options) (*Result, error) {
	if err := o.fill(); err != nil {
		return nil, err
	}
	c := newCollection(o)
	for _, s := range sources {
		c.add(s)
	}
	if err := c.chooseBase(); err != nil {
		return nil, err
	}
	r := &Result{By: o.By, Options: o, Sides: c.summaries(), points: c.points, mixed: c.mixed()}
	cells := c.cells()
	near := newDistances(cells)
	parts := make([]Result, len(cells))
	parallel.For(len(cells), func(i int) { c.rows(&parts[i], cells[i], near) })
	for i := range parts {
		r.Rows = append(r.Rows, parts[i].Rows...)
		r.Missing = append(r.Missing, parts[i].Missing...)
	}
	r.judge()
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

	sides  []string
	index  map[string]int
	runs   map[string]facts
	groups map[string]*group
	order  []*group
	counts []sideCount
	points map[string][]*record.Point // by name of the side
	unruly int                        // points without the metric that was asked for
}

// sideCount is what is known of a side as a whole.
type sideCount struct {
	points int
	runs   map[string]bool
}

// group is what has all asked factors in common.
type group struct {
	sides [][]*record.Point // by index of the side
}

func newCollection(o Options) *collection {
	c := &collection{
		options: o, asked: pick(record.Asked, o.By), chosen: append(pick(record.Chosen, o.By), hostFactor), hidden: pick(record.Hidden, o.By),
		metrics: metricOrder(o.Metric),
		index:   map[string]int{}, runs: map[string]facts{}, groups: map[string]*group{},
		points: map[string][]*record.Point{},
	}
	if o.By == hostName {
		c.chosen = c.chosen[:len(c.chosen)-1]
	}
	c.by = c.value(o.By)
	return c
}

// hostName is the fact by which machines are told apart.
const hostName = "host.hostname"

// hostFactor separates cells where a side mixes machines. Its text comes from the run.
var hostFactor = record.Factor{Name: hostName, Role: record.Chosen}

// value returns what tells the side of a point.
func (c *collection) value(by string) func(p *record.Point, source string) string {
	if by == byFile {
		return func(_ *record.Point, source string) string { return source }
	}
	if name, ok := strings.CutPrefix(by, optionPrefix); ok {
		return func(p *record.Point, _ string) string { return p.Options[name] }
	}
	for _, f := range record.Factors {
		if f.Name == by {
			return func(p *record.Point, _ string) string { return f.Text(p) }
		}
	}
	return func(p *record.Point, _ string) string { return c.runs[p.Run][by] }
}

func (c *collection) add(s Source) {
	for i := range s.File.Runs {
		c.runs[s.File.Runs[i].ID] = factsOf(&s.File.Runs[i])
	}
	for _, l := range s.File.Launches {
		if f := c.runs[l.Run]; f != nil && l.Program != "" {
			f[programPath] = l.Program
		}
	}
	if c.options.By == byFile {
		c.side(s.Name) // also one without points
	}
	var key strings.Builder
	for i := range s.File.Points {
		p := &s.File.Points[i]
		if c.options.Metric != "" && p.Metrics[c.options.Metric].N == 0 {
			c.unruly++
			continue
		}
		side := c.side(c.by(p, s.Name))
		c.counts[side].points++
		c.counts[side].runs[p.Run] = true
		key.Reset()
		for _, f := range c.asked {
			key.WriteString(f.Text(p))
			key.WriteByte(0)
		}
		g := c.groups[key.String()]
		if g == nil {
			g = &group{}
			c.groups[key.String()] = g
			c.order = append(c.order, g)
		}
		for len(g.sides) <= side {
			g.sides = append(g.sides, nil)
		}
		g.sides[side] = append(g.sides[side], p)
		c.points[c.sides[side]] = append(c.points[c.sides[side]], p)
	}
}

// side returns the index of a side by its name.
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

// chooseBase puts the side with which the others are compared first.
func (c *collection) chooseBase() error {
	if c.options.Base == "" {
		return nil
	}
	i, ok := c.index[c.options.Base]
	if !ok {
		return fmt.Errorf("no result has %s %q: there are %s", c.options.By, c.options.Base, strings.Join(quoted(c.sides), ", "))
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
