package compare

import (
	"fmt"
	"gobench/bench/record"
	"slices"
	"strings"
)

// mostNear bounds the search for the nearest cells.
const mostNear = 500

// nothing returns a sentence that explains why no cell is on both sides: it names the factors in
// which the two most similar cells differ.
func (c *collection) nothing(r *Result) string {
	if len(c.sides) == 1 {
		return fmt.Sprintf("all results have %s %s: there is no other value to compare it with", c.options.By, named(c.sides[0]))
	}
	for i, s := range c.sides {
		if c.counts[i].points == 0 {
			return named(s) + " holds no results"
		}
	}
	var base, others []Missing
	for _, m := range r.Missing {
		switch {
		case m.In == c.sides[0] && len(base) < mostNear:
			base = append(base, m)
		case m.In != c.sides[0] && len(others) < mostNear:
			others = append(others, m)
		}
	}
	var nearest []string
	least := 0
	for _, a := range base {
		for _, b := range others {
			if words := a.Cell.differs(b.Cell, a.In, b.In); nearest == nil || len(words) < least {
				nearest, least = append(words, "("+a.Cell.String()+")"), len(words)
			}
		}
	}
	if nearest == nil {
		return "no cell is on both sides"
	}
	last := len(nearest) - 1
	return fmt.Sprintf("no cell is on both sides: the nearest differ in %s %s", strings.Join(nearest[:last], " and in "), nearest[last])
}

// differs names the factors in which two cells differ, each with its values.
func (c Cell) differs(other Cell, in, otherIn string) (words []string) {
	var names []string
	for _, f := range slices.Concat(c.Factors, other.Factors) {
		if slices.Contains(names, f.Name) {
			continue
		}
		names = append(names, f.Name)
		a, b := c.Factor(f.Name), other.Factor(f.Name)
		if a == b || record.Unlogged(f.Name) && (c.Sample.Library != "" || other.Sample.Library != "") {
			continue
		}
		words = append(words, fmt.Sprintf("%s (%s in %s, %s in %s)", f.Name, short(a), named(in), short(b), named(otherIn)))
	}
	return words
}
