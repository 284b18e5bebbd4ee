package compare

import (
	"cmp"
	"slices"
	"strings"

	"gobench/bench/record"
	"gobench/internal/parallel"
)

// matched is one cell with the points of all sides.
type matched struct {
	cell  Cell
	sides [][]*record.Point
}

// cells separates the groups by the Chosen factors that vary within a side, and sorts them: sizes
// of the same kind follow each other.
func (c *collection) cells() []*matched {
	parts := make([][]*matched, len(c.order))
	parallel.For(len(parts), func(i int) { parts[i] = c.separate(c.order[i]) })
	list := slices.Concat(parts...)
	slices.SortStableFunc(list, func(a, b *matched) int { return a.compare(b) })
	return list
}

// separate divides a group into cells.
func (c *collection) separate(g *group) []*matched {
	var split []record.Factor
	for _, f := range c.chosen {
		if c.varies(g, f) {
			split = append(split, f)
		}
	}
	parts := map[string]*matched{}
	var list []*matched
	for side, points := range g.sides {
		for _, p := range points {
			if c.silent(p, split) {
				continue
			}
			key := ""
			for _, f := range split {
				key += c.text(f, p) + "\x00"
			}
			m := parts[key]
			if m == nil {
				m = &matched{cell: c.cell(p, split), sides: make([][]*record.Point, len(c.sides))}
				parts[key] = m
				list = append(list, m)
			}
			m.sides[side] = append(m.sides[side], p)
		}
	}
	for side, points := range g.sides {
		for _, p := range points {
			if !c.silent(p, split) {
				continue
			}
			if len(list) == 0 {
				list = append(list, &matched{cell: c.cell(p, nil), sides: make([][]*record.Point, len(c.sides))})
			}
			for _, m := range list {
				m.sides[side] = append(m.sides[side], p)
			}
		}
	}
	return list
}

// varies reports whether a factor has several values within one side.
func (c *collection) varies(g *group, f record.Factor) bool {
	for _, points := range g.sides {
		first, known := "", false
		for _, p := range points {
			text := c.text(f, p)
			if p.Library != "" && text == "" {
				continue // not known
			}
			if known && text != first {
				return true
			}
			first, known = text, true
		}
	}
	return false
}

func (c *collection) text(f record.Factor, p *record.Point) string {
	if p.Library != "" && f.Unlogged || f.Name == "batch" && roundTrip(p) {
		return ""
	}
	if f.Text == nil {
		return c.runs[p.Run][f.Name]
	}
	return f.Text(p)
}

// roundTrip reports whether each event of a point waits for the previous one, so that the number of
// events timed together does not matter. It is greater for faster transports.
func roundTrip(p *record.Point) bool { return p.Metrics["half_rtt_s"].N > 0 }

func (c *collection) cell(p *record.Point, split []record.Factor) Cell {
	cell := Cell{Sample: p}
	for _, f := range slices.Concat(c.asked, split) {
		if value := c.text(f, p); value != "" {
			cell.Factors = append(cell.Factors, Factor{f.Name, value})
		}
	}
	return cell
}

// compare orders cells by benchmark, then the other factors, then size and ranks as numbers.
func (m *matched) compare(other *matched) int {
	a, b := m.cell.Sample, other.cell.Sample
	if n := cmp.Or(strings.Compare(a.Bench, b.Bench), strings.Compare(a.Library, b.Library), strings.Compare(a.Transport, b.Transport), strings.Compare(a.Level, b.Level),
		cmp.Compare(a.Ranks, b.Ranks)); n != 0 {
		return n
	}
	key := func(c Cell) string {
		var s strings.Builder
		for _, f := range c.Factors {
			if f.Name != "size_B" {
				s.WriteString(f.Name + "=" + f.Value + "\x00")
			}
		}
		return s.String()
	}
	return cmp.Or(strings.Compare(key(m.cell), key(other.cell)), cmp.Compare(a.Size, b.Size))
}
