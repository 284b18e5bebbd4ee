package compare

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"gobench/internal/collect"
	"gobench/record"
)

// arrange sorts the sides and moves the base to index 0. The order of files is that in which they
// were passed. Other sides have an order that does not depend on the random order in which a sweep
// measured them: gobench before other libraries, then by name, numbers by value. Runs outside of a
// sweep that differ in a fact, such as a commit or a label, are in the order of time if one side
// was measured after the other.
func (c *collection) arrange() error {
	order := collect.Range(len(c.sides))
	if c.options.By != byFile {
		slices.SortStableFunc(order, func(i, j int) int { return c.compareSides(c.sides[i], c.sides[j]) })
		if later := slices.SortedStableFunc(slices.Values(order), func(i, j int) int { return c.counts[i].first.Compare(c.counts[j].first) }); c.successive(later) {
			order = later
		}
	}
	c.permute(order)
	if c.options.Base == "" {
		return nil
	}
	base, err := c.named(c.options.Base)
	if err != nil {
		return err
	}
	c.permute(slices.Insert(slices.DeleteFunc(collect.Range(len(c.sides)), func(i int) bool { return i == base }), 0, base))
	return nil
}

// compareSides compares names of sides.
func (c *collection) compareSides(a, b string) int {
	if c.options.By == libraryName && (a == own) != (b == own) {
		return map[bool]int{true: -1, false: 1}[a == own]
	}
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX == nil && errY == nil && x != y {
		return cmp.Compare(x, y)
	}
	return strings.Compare(a, b)
}

// successive reports whether each side, in this order, was measured after the one before, by runs
// outside of a sweep that have one value of the compared factor.
func (c *collection) successive(order []int) bool {
	if c.options.byPoints() {
		return false
	}
	for i, side := range order {
		if slices.ContainsFunc(c.bySide[side], func(p *record.Point) bool { return p.Block > 0 }) {
			return false
		}
		if i > 0 && !c.counts[order[i-1]].last.Before(c.counts[side].first) {
			return false
		}
	}
	return true
}

// permute puts the sides into a new order.
func (c *collection) permute(order []int) {
	sides, points, counts := make([]string, len(order)), make([][]*record.Point, len(order)), make([]sideCount, len(order))
	for to, from := range order {
		sides[to], points[to], counts[to] = c.sides[from], c.bySide[from], c.counts[from]
		c.index[sides[to]] = to
	}
	c.sides, c.bySide, c.counts = sides, points, counts
}

// minPrefix is the length from which the beginning of a name, such as that of a commit, is
// enough.
const minPrefix = 4

// named returns the index of a side by its full name, by the last element of its path with or
// without .jsonl, or by the beginning of its name. The name of a commit may also be longer than the
// recorded one.
func (c *collection) named(name string) (int, error) {
	if i, ok := c.index[name]; ok {
		return i, nil
	}
	fitting := collect.If(c.sides, func(side string) bool {
		base := path.Base(side)
		return base == name || strings.TrimSuffix(base, ".jsonl") == name
	})
	if fitting == nil && len(name) >= minPrefix {
		fitting = collect.If(c.sides, func(side string) bool {
			return strings.HasPrefix(side, name) || c.options.By == shortNames["commit"] && len(side) >= minPrefix && strings.HasPrefix(name, side)
		})
	}
	switch len(fitting) {
	case 0:
		return 0, fmt.Errorf("no result has %s %q; the results have %s", c.options.By, name, enumerate(collect.Each(c.sides, strconv.Quote)))
	case 1:
		return c.index[fitting[0]], nil
	}
	return 0, fmt.Errorf("%s %q is ambiguous: %s", c.options.By, name, strings.Join(collect.Each(fitting, strconv.Quote), " or "))
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
