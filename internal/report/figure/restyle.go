package figure

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"

	"gobench/internal/collect"
	"gobench/internal/report/cell"
	"gobench/internal/report/style"
	"gobench/nearest"
)

// Restyle gives figures the appearance that a reader chose. They must not have been drawn. A choice
// of series that no figure has is a *nearest.UnknownError; a base that no figure of speedups has,
// too. Other errors say why the choice cannot be drawn.
func Restyle(figures []*Figure, sheet *style.Sheet) error {
	found := make([]bool, len(sheet.Series))
	var known []string
	based := sheet.Base == "" || sheet.Base == style.OwnBase || !slices.ContainsFunc(figures, (*Figure).hasSpeedup)
	for _, f := range figures {
		f.sheet = *sheet
		if sheet.Title != "" {
			f.Title = sheet.Title
		}
		f.rebase(sheet.Base, &based)
		known = collect.Union(collect.Union(known, f.members()...), f.left...)
		f.rename(sheet.Series, found)
		f.prepare()
		f.reaxis(sheet)
		if err := f.reflow(); err != nil {
			return err
		}
	}
	for i, c := range sheet.Series {
		if !found[i] && c.Text != everything {
			return &nearest.UnknownError{What: "series", Name: c.Text, Known: known, List: "series of these figures"}
		}
	}
	if !based {
		return &nearest.UnknownError{What: "base of a speedup", Name: sheet.Base, Known: append(known, style.OwnBase), List: "series of these figures"}
	}
	return nil
}

// everything is the choice of all series that no other choice names.
const everything = "*"

// members returns the names of the series that the layers of a figure draw, in the order of the
// legend.
func (f *Figure) members() (names []string) {
	drawn := map[string]bool{}
	for _, p := range f.allPanels() {
		for _, l := range p.Layers {
			if name, class := seriesOf(l); class != "" {
				drawn[name] = true
			}
			if s, ok := l.(Stack); ok {
				for _, part := range s.Parts {
					drawn[part.Name] = true
				}
			}
		}
	}
	keyed := collect.Each(f.Keys, func(k Key) string { return k.Name })
	all := collect.Union(keyed, f.series...) // a single series has no key
	return collect.If(all, func(name string) bool { return drawn[name] })
}

// allPanels returns all panels and their right axes.
func (f *Figure) allPanels() (all []*Panel) {
	for _, p := range f.panels() {
		all = append(all, p)
		if p.Right != nil {
			all = append(all, p.Right)
		}
	}
	return all
}

// matches reports whether words are a series or some of its factors.
func matches(series, words string) bool {
	if series == words {
		return true
	}
	factors := strings.Split(series, ", ")
	return !slices.ContainsFunc(strings.Split(words, ", "), func(word string) bool { return !slices.Contains(factors, word) })
}

// renamed replaces words of a series by a new name.
func renamed(series, words, name string) string {
	if series == words {
		return name
	}
	replaced := strings.Split(words, ", ")
	rest := collect.If(strings.Split(series, ", "), func(factor string) bool { return !slices.Contains(replaced, factor) })
	return strings.Join(append([]string{name}, rest...), ", ")
}

// A member is a series with the name and the look that a reader chose.
type member struct {
	name string
	look style.Series
}

// rename applies the choice of series, of which it marks those that it found.
func (f *Figure) rename(choices []style.Choice, found []bool) {
	names := f.members()
	scale := f.sheet.Scale()
	if len(names) == 0 || len(choices) == 0 && scale == 1 {
		return
	}
	to := map[string]member{}
	var order []string
	take := func(name, as string, c style.Choice) {
		if _, taken := to[name]; taken {
			return
		}
		look := style.Of(len(order))
		if c.Tint {
			look.Color, look.Line.Color, look.Glyph.Color = c.Color, c.Color, c.Color
		}
		look.Line.Width *= scale
		look.Glyph.Radius *= scale
		order = append(order, name)
		to[name] = member{as, look}
	}
	candidates := append(slices.Clone(names), f.left...)
	for i, c := range choices {
		for _, name := range candidates {
			words, as := c.Text, name
			if !matches(name, words) { // "=" may be part of a name
				at := strings.LastIndexByte(c.Text, '=')
				if at < 0 || !matches(name, c.Text[:at]) {
					continue
				}
				words = c.Text[:at]
				as = renamed(name, words, c.Text[at+1:])
			}
			found[i] = true
			take(name, as, c)
		}
		if c.Text == everything {
			for _, name := range names {
				named := slices.ContainsFunc(choices[i+1:], func(c style.Choice) bool {
					words, _, _ := strings.Cut(c.Text, "=")
					return matches(name, c.Text) || matches(name, words)
				})
				if !named {
					take(name, name, style.Choice{})
				}
			}
		}
	}
	if len(order) == 0 { // the choice is about other figures, or about the size of letters only
		for _, name := range names {
			take(name, name, style.Choice{})
		}
	}
	f.relook(order, to)
}

// relook gives the series of a figure their looks and order, and drops those without one.
func (f *Figure) relook(order []string, to map[string]member) {
	f.unspare(order)
	areas := map[string]bool{}
	var others []Key
	had := f.members()
	for _, k := range f.Keys {
		if slices.Contains(had, k.Name) {
			areas[k.Name] = k.Area
		} else {
			others = append(others, k)
		}
	}
	keyed := len(f.Keys) > len(others)
	f.Keys = nil
	for _, name := range order {
		if keyed || len(order) > 1 {
			f.Keys = append(f.Keys, Key{Name: to[name].name, Look: to[name].look, Area: areas[name]})
		}
	}
	f.Keys = append(f.Keys, others...)
	for _, p := range f.allPanels() {
		p.relook(order, to)
	}
	f.Remarks = slices.DeleteFunc(f.Remarks, func(n string) bool { return n != "" && n == f.leftOut() })
	f.left = slices.DeleteFunc(f.left, func(name string) bool { _, ok := to[name]; return ok })
	f.series = collect.Each(order, func(name string) string { return to[name].name })
}

// unspare adds curves of chosen series that the kind left out, to the panels of their metric.
func (f *Figure) unspare(order []string) {
	for _, p := range f.allPanels() {
		for _, s := range f.spare[p.Shows.Metric] {
			if slices.Contains(order, s.Name) {
				unit := unit{p.Shows.Scale, unitOf(p.Shows.Metric).name}
				p.Add(Whiskers{Curve{Name: s.Name, Cells: s.Cells, Scale: unit.scale}},
					Curve{Name: s.Name, Cells: s.Cells, Scale: unit.scale, Tooltip: tooltips(s.Name, func(c cell.Cell) string { return p.position(c.X) }, unit)})
			}
		}
	}
}

// position names a place on the x axis.
func (p *Panel) position(x float64) string {
	if _, sizes := p.X.Scale.(style.Sizes); sizes {
		return style.Size(int64(x))
	}
	return style.Number(x)
}

// relook applies the looks to the layers of a panel.
func (p *Panel) relook(order []string, to map[string]member) {
	var layers []Layer
	dropped := false
	for _, layer := range p.Layers {
		name, class := seriesOf(layer)
		m, kept := to[name]
		if class != "" && !kept {
			dropped = true
			continue
		}
		switch l := layer.(type) {
		case Curve:
			l.Name, l.Look = m.name, m.look
			layer = l
		case Band:
			l.Name, l.Look = m.name, m.look
			layer = l
		case Whiskers:
			l.Name, l.Look = m.name, m.look
			layer = l
		case Bar:
			b := barOf(slices.Index(order, name), len(order), int(math.Round(l.At)))
			l.Name, l.Look, l.At, l.Width = m.name, m.look, b.At, b.Width
			layer = l
		case Stack:
			l.Parts = slices.Clone(l.Parts)
			for i, part := range l.Parts {
				if m, ok := to[part.Name]; ok {
					l.Parts[i].Name, l.Parts[i].Look = m.name, m.look
				}
			}
			layer = l
		}
		layers = append(layers, layer)
	}
	ordered(layers, order, to)
	p.Layers = layers
	p.dodge()
	if dropped {
		p.regrow()
	}
}

// ordered sorts the layers of series by the chosen order, in the places that they have.
func ordered(layers []Layer, order []string, to map[string]member) {
	rank := map[string]int{}
	for i, name := range order {
		rank[to[name].name] = i
	}
	for _, kind := range []string{"band", "whiskers", "curve", "bar"} {
		var at []int
		var some []Layer
		for i, l := range layers {
			if _, class := seriesOf(l); class == kind {
				at, some = append(at, i), append(some, l)
			}
		}
		slices.SortStableFunc(some, func(a, b Layer) int {
			x, _ := seriesOf(a)
			y, _ := seriesOf(b)
			return rank[x] - rank[y]
		})
		for i, j := range at {
			layers[j] = some[i]
		}
	}
}

// regrow sets the range of the y axis to that of the layers.
func (p *Panel) regrow() {
	if p.rows != nil || p.columns != nil {
		return
	}
	zero := p.Y.Min == 0
	p.Y.Min, p.Y.Max = math.Inf(1), math.Inf(-1)
	if zero {
		p.Y.Min = 0
	}
	for _, l := range p.Layers {
		if r, ok := l.(plot.DataRanger); ok {
			_, _, y0, y1 := r.DataRange()
			p.Y.Min, p.Y.Max = min(p.Y.Min, y0), max(p.Y.Max, y1)
		}
	}
}

// reaxis applies the choice of axes.
func (f *Figure) reaxis(sheet *style.Sheet) {
	for _, p := range f.panels() {
		for _, a := range sheet.X {
			if a.Panel == "" || a.Panel == p.letter {
				p.reaxisX(a)
			}
		}
		for _, a := range sheet.Y {
			if (a.Panel == "" || a.Panel == p.letter) && namesOf(p.given.y) == nil {
				rescale(&p.Y, &p.given.y, a, p.smallest())
				limit(&p.Y, a, &p.exact.y)
			}
		}
	}
}

func (p *Panel) reaxisX(a style.Axis) {
	if namesOf(p.given.x) != nil {
		return
	}
	switch scale := p.X.Scale.(type) {
	case style.Sizes:
		if a.Scale == "linear" {
			p.X.Scale, p.given.x = plot.LinearScale{}, style.LinearSizes{}
			p.X.Min = 0
		} else if a.HasLo && a.Lo > 0 {
			p.X.Scale = style.Sizes{Smallest: max(scale.Smallest, a.Lo)}
		}
	default:
		if counts, ok := p.given.x.(style.Counts); ok && a.Scale != "" {
			p.X.Scale, p.given.x = map[string]plot.Normalizer{"linear": plot.LinearScale{}, "log": style.Log{}}[a.Scale], counts
		} else {
			rescale(&p.X, &p.given.x, a, p.X.Min)
		}
	}
	limit(&p.X, a, &p.exact.x)
}

// smallest returns the smallest positive value of the y axis that layers draw.
func (p *Panel) smallest() float64 {
	smallest := math.Inf(1)
	for _, l := range p.Layers {
		if r, ok := l.(plot.DataRanger); ok {
			if _, _, y0, _ := r.DataRange(); y0 > 0 {
				smallest = min(smallest, y0)
			}
		}
	}
	return smallest
}

// rescale changes the scale of an axis of numbers. least is the least positive value on it.
func rescale(axis *plot.Axis, ticks *plot.Ticker, a style.Axis, smallest float64) {
	_, log := axis.Scale.(style.Log)
	switch {
	case a.Scale == "linear" && log:
		axis.Scale, *ticks = plot.LinearScale{}, style.Linear{}
		axis.Min = min(0, axis.Min)
	case a.Scale == "log" && !log && axis.Max > 0:
		axis.Scale, *ticks = style.Log{}, style.Decades{}
		if axis.Min <= 0 {
			axis.Min = min(smallest, axis.Max/10)
		}
	}
	axis.Tick.Marker = *ticks
}

// limit sets the limits of an axis. A logarithmic one has no limit of 0 or below.
func limit(axis *plot.Axis, a style.Axis, exact *limits) {
	_, log := axis.Scale.(style.Log)
	if a.HasLo && !(log && a.Lo <= 0) {
		axis.Min, exact.lo = a.Lo, true
	}
	if a.HasHi && a.Hi > axis.Min {
		axis.Max, exact.hi = a.Hi, true
	}
}
