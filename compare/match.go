package compare

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"gobench/internal/collect"
	"gobench/internal/parallel"
	"gobench/record"
)

// matched is one cell with the points of the base and of one other side.
type matched struct {
	cell   Cell
	side   int                // index of the other side
	points [2][]*record.Point // of the base, of the other side
}

// cells matches the base with each other side, and sorts the cells: sizes of the same kind follow
// each other, then the sides of a cell.
func (c *collection) cells() []*matched {
	c.implied = make([][]record.Factor, len(c.sides))
	parts := make([][]*matched, len(c.sides))
	parallel.For(len(parts), func(i int) {
		if i > 0 {
			c.implied[i] = c.impliedBy(i)
			parts[i] = c.match(i)
		}
	})
	list := slices.Concat(parts...)
	slices.SortStableFunc(list, func(a, b *matched) int { return cmp.Or(a.cell.compare(b.cell), cmp.Compare(a.side, b.side)) })
	return list
}

// implying lists the factors by which sides are compared without a request, if the sides have no
// value of them in common. Other programs have their own transports.
var implying = []string{libraryName, "transport"}

// impliedBy returns the factors of implying in which a side differs from the base in every point.
// One of both has a single value, else the partners would not be obvious.
func (c *collection) impliedBy(side int) []record.Factor {
	return collect.If(c.asked, func(f record.Factor) bool {
		if !slices.Contains(implying, f.Name) {
			return false
		}
		base, other := c.values(c.bySide[0], f), c.values(c.bySide[side], f)
		return min(len(base), len(other)) == 1 && !meet(base, other)
	})
}

// meet reports whether two lists have a value in common.
func meet(a, b []string) bool {
	return slices.ContainsFunc(a, func(v string) bool { return slices.Contains(b, v) })
}

// A group holds the points of the base and of another side that agree in all asked factors.
type group [2][]*record.Point

// A candidate is a group with the values of the asked factors, "" where no point states one.
type candidate struct {
	group
	texts []string
	own   bool // it has points of gobench
}

// contradicts reports whether values of other points differ from those of the group. Logs do not
// state all.
func (g *candidate) contradicts(texts []string) bool {
	for i, text := range texts {
		if text != "" && g.texts[i] != "" && text != g.texts[i] {
			return true
		}
	}
	return false
}

// match returns the cells of the base and a side. Results of other programs belong to all groups
// that agree in the factors that logs state. A factor that is Unlogged separates them only where
// both state it, and one that is Omitted and absent has any value, beside own results.
func (c *collection) match(side int) (list []*matched) {
	asked := slices.DeleteFunc(slices.Clone(c.asked), func(f record.Factor) bool { return has(c.implied[side], f.Name) })
	groups := map[string]*candidate{}
	alike := map[string][]*candidate{} // by the factors that logs of other programs state
	var order []*candidate
	of := func(p *record.Point) []*candidate {
		var key, known, always strings.Builder // always: without the factors that are Omitted
		omits := false
		texts := make([]string, len(asked))
		for i, f := range asked {
			text := c.text(f, p)
			texts[i] = text
			key.WriteString(text)
			key.WriteByte(0)
			if !f.Unlogged {
				known.WriteString(text)
				known.WriteByte(0)
			}
			if !f.Unlogged && !f.Omitted {
				always.WriteString(text)
				always.WriteByte(0)
			}
			omits = omits || f.Omitted && text == ""
		}
		own := "own" + always.String()
		if p.Library != "" {
			among := alike[known.String()]
			if among == nil && omits {
				among = alike[own]
			}
			fitting := collect.If(among, func(g *candidate) bool { return !g.contradicts(texts) })
			if len(fitting) == 1 && !fitting[0].own {
				for i, text := range texts {
					fitting[0].texts[i] = cmp.Or(fitting[0].texts[i], text)
				}
			}
			if fitting != nil {
				return fitting
			}
		}
		g := groups[key.String()]
		if g == nil {
			g = &candidate{texts: texts, own: p.Library == ""}
			groups[key.String()] = g
			order = append(order, g)
			alike[known.String()] = append(alike[known.String()], g)
			if p.Library == "" {
				alike[own] = append(alike[own], g)
			}
		}
		return []*candidate{g}
	}
	sides := [2][]*record.Point{c.bySide[0], c.bySide[side]}
	for _, imported := range []bool{false, true} { // logs last, when all groups are known
		for i, points := range sides {
			last := 0 // kind of own points, in the groups in
			var in []*candidate
			for _, p := range points {
				if (p.Library != "") != imported {
					continue
				}
				if last == 0 || c.kinds[p] != last {
					last, in = c.kinds[p], of(p)
				}
				for _, g := range in {
					g.group[i] = append(g.group[i], p)
				}
			}
		}
	}
	split := slices.Concat(c.chosen, c.implied[side])
	for _, g := range order {
		list = append(list, c.separate(&g.group, side, asked, c.withOptions(split, &g.group))...)
	}
	return list
}

// withOptions returns factors with each option in place of all together if a group has points of
// logs, which state some options only.
func (c *collection) withOptions(factors []record.Factor, g *group) (list []record.Factor) {
	isLog := func(p *record.Point) bool { return p.Library != "" }
	if !c.logged || !slices.ContainsFunc(g[0], isLog) && !slices.ContainsFunc(g[1], isLog) {
		return factors
	}
	names := map[string]bool{}
	for _, points := range g {
		for _, p := range points {
			for name := range p.Options {
				names[name] = optionPrefix+name != c.options.By
			}
		}
	}
	for _, f := range factors {
		if f.Name != optionsName {
			list = append(list, f)
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if names[name] {
				f.Name, f.Text = optionPrefix+name, func(p *record.Point) string { return p.Options[name] }
				list = append(list, f)
			}
		}
	}
	return list
}

func has(factors []record.Factor, name string) bool {
	return slices.ContainsFunc(factors, func(f record.Factor) bool { return f.Name == name })
}

// separate divides a group into cells by the factors of split that have several values on a side.
//
// If both sides have common values of a factor, points with equal values are compared. If they have
// no common value and one side has a single value, as a transport beside several MPI libraries with
// labels of their own, or does not state the factor, each value of the other side is compared with
// it.
func (c *collection) separate(g *group, side int, asked, split []record.Factor) (list []*matched) {
	var shared []record.Factor
	var own [2][]record.Factor // factors that separate only the points of a side
	for _, f := range split {
		base, other := c.values(g[0], f), c.values(g[1], f)
		switch {
		case len(base) <= 1 && len(other) <= 1:
		case min(len(base), len(other)) > 1, meet(base, other):
			shared = append(shared, f)
		case len(base) > 1:
			own[0] = append(own[0], f)
		default:
			own[1] = append(own[1], f)
		}
	}
	type part struct{ sides group }
	parts := map[string]*part{}
	var order []*part
	at := func(key string) *part {
		if parts[key] == nil {
			parts[key] = &part{}
			order = append(order, parts[key])
		}
		return parts[key]
	}
	for i, points := range g {
		for _, p := range points {
			if !c.silent(p, shared) {
				to := at(c.key(shared, p))
				to.sides[i] = append(to.sides[i], p)
			}
		}
	}
	for i, points := range g {
		for _, p := range points {
			if !c.silent(p, shared) {
				continue
			}
			if len(order) == 0 {
				at("")
			}
			for _, one := range order { // may be any of them
				one.sides[i] = append(one.sides[i], p)
			}
		}
	}
	named := slices.Concat(asked, c.telling(shared, g[0], g[1]))
	ofBase, ofSide := c.telling(own[0], g[0]), c.telling(own[1], g[1])
	for _, one := range order {
		for _, base := range c.divided(one.sides[0], own[0]) {
			for _, other := range c.divided(one.sides[1], own[1]) {
				cell := Cell{}
				if len(base) > 0 {
					cell.Sample = base[0]
				} else {
					cell.Sample = other[0]
				}
				cell.name(c, named, cell.Sample)
				if len(base) > 0 {
					cell.name(c, ofBase, base[0])
				}
				if len(other) > 0 {
					cell.name(c, ofSide, other[0])
				}
				list = append(list, &matched{cell, side, group{base, other}})
			}
		}
	}
	return list
}

// divided returns the points with equal values of factors, or no points if there are none.
func (c *collection) divided(points []*record.Point, factors []record.Factor) [][]*record.Point {
	if len(points) == 0 {
		return [][]*record.Point{nil}
	}
	return collect.By(points, func(p *record.Point) string { return c.key(factors, p) })
}

// key joins the values of factors.
func (c *collection) key(factors []record.Factor, p *record.Point) string {
	key := ""
	for _, f := range factors {
		key += c.text(f, p) + "\x00"
	}
	return key
}

// values returns the different values of a factor that are known, in the order of the points.
func (c *collection) values(points []*record.Point, f record.Factor) (list []string) {
	last, any := "", false
	before := 0
	for _, p := range points {
		if separates(f) {
			if kind := c.kinds[p]; any && kind == before {
				continue
			} else {
				before = kind
			}
		}
		text := c.text(f, p)
		if any && text == last || p.Library != "" && text == "" && f.Name != libraryName {
			continue // or not known
		}
		if last, any = text, true; !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// tellingOrder lists the factors that name cells better than others: a label is shorter than the
// options of an MPI library, which differ as well.
var tellingOrder = []string{"algorithm", libraryName, "transport", labelName, programPath}

// telling returns those of several factors that suffice to distinguish the points.
func (c *collection) telling(factors []record.Factor, sides ...[]*record.Point) (list []record.Factor) {
	if len(factors) < 2 {
		return factors
	}
	points := slices.Concat(sides...)
	different := func(factors []record.Factor) int {
		keys := map[string]bool{}
		for _, p := range points {
			keys[c.key(factors, p)] = true
		}
		return len(keys)
	}
	rank := func(f record.Factor) int {
		if i := slices.Index(tellingOrder, f.Name); i >= 0 {
			return i
		}
		return len(tellingOrder)
	}
	sorted := slices.SortedStableFunc(slices.Values(factors), func(a, b record.Factor) int { return cmp.Compare(rank(a), rank(b)) })
	all, have := different(factors), 1
	for _, f := range sorted {
		if n := different(append(slices.Clip(list), f)); n > have && have < all {
			list, have = append(list, f), n
		}
	}
	return list
}

// separates reports whether a factor separates the cells of package series, so that points of one
// kind have the same value.
func separates(f record.Factor) bool {
	return f.Text != nil && (f.Role == record.Asked || f.Role == record.Chosen)
}

func (c *collection) text(f record.Factor, p *record.Point) string {
	if (f.Name == "batch" || f.Name == "batched") && roundTrip(p) {
		return ""
	}
	if f.Text == nil {
		return c.runs[p.Run][f.Name]
	}
	return f.Text(p)
}

// roundTrip reports whether each event of a point waits for the previous one, so that the number of
// events timed together does not matter. It is greater for faster transports.
func roundTrip(p *record.Point) bool { return p.Metrics.Has("half_rtt_s") }

// name adds the values of factors that a point has.
func (c *Cell) name(in *collection, factors []record.Factor, p *record.Point) {
	for _, f := range factors {
		if value := in.text(f, p); value != "" && c.Factor(f.Name) == "" {
			c.Factors = append(c.Factors, Factor{f.Name, value})
		}
	}
}

// compare orders cells by benchmark, then the other factors, then size and ranks as numbers.
func (c Cell) compare(other Cell) int {
	a, b := c.Sample, other.Sample
	if n := cmp.Or(strings.Compare(a.Bench, b.Bench), strings.Compare(a.Library, b.Library), strings.Compare(a.Transport, b.Transport), strings.Compare(a.Level, b.Level),
		cmp.Compare(a.Ranks, b.Ranks)); n != 0 {
		return n
	}
	return cmp.Or(strings.Compare(c.Kind(), other.Kind()), cmp.Compare(a.Size, b.Size))
}

// Kind joins the factors of a cell but its size.
func (c Cell) Kind() string {
	var s strings.Builder
	for _, f := range c.Factors {
		if f.Name != "size_B" {
			s.WriteString(f.Name + "=" + f.Value + "\x00")
		}
	}
	return s.String()
}
