package compare

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/remedy"
	"gobench/record"
)

const (
	maxNear      = 500 // bounds the search for the nearest cells
	maxDiffering = 3   // factors that the sentence about the nearest cells names
	maxValue     = 24  // characters of a value in it
)

// nothing returns a sentence that explains why no cell is on both sides: it names the factors in
// which the two most similar cells differ, and the command that compares cells, if there is one.
func (c *collection) nothing(r *Result) string {
	why := c.nothingInCommon(r)
	if by, cells := c.working(); by != "" {
		why += fmt.Sprintf("; %s %v compares %s", c.command(), remedy.Set("by", by), human.Count(cells, "cell", "cells"))
	}
	return why
}

// command returns the command that compares these files.
func (c *collection) command() string {
	words := []string{"gobench compare"}
	words = append(words, collect.Each(c.sources, func(s Source) string { return word(s.Name) })...)
	if len(c.sources) > maxDiffering {
		words = append(words[:2], "...")
	}
	if m := c.options.Metric; m != "" {
		words = append(words, remedy.Set("metric", m).String())
	}
	return strings.Join(words, " ")
}

// word returns a name as one word of a shell.
func word(name string) string {
	if name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return !strings.ContainsRune("/._-+=:@%", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}

func (c *collection) nothingInCommon(r *Result) string {
	if len(c.sides) == 1 {
		return fmt.Sprintf("all results have %s %s: there is no other value to compare it with", c.options.By, named(c.sides[0]))
	}
	for i, s := range c.sides {
		if c.counts[i].points == 0 {
			return named(s) + " holds no results"
		}
	}
	base := collect.If(r.Missing, func(m Missing) bool { return m.In == c.sides[0] })
	others := collect.If(r.Missing, func(m Missing) bool { return m.In != c.sides[0] })
	var nearest []string
	smallest := 0
	for _, a := range base[:min(len(base), maxNear)] {
		for _, b := range others[:min(len(others), maxNear)] {
			if words := a.Cell.differs(b.Cell, a.In, b.In); nearest == nil || len(words) < smallest {
				nearest, smallest = append(words, a.Cell.Label()), len(words)
			}
		}
	}
	if nearest == nil {
		return "no cell is on both sides"
	}
	last := len(nearest) - 1
	words := nearest[:last]
	if len(words) > maxDiffering {
		words = append(slices.Clone(words[:maxDiffering]), human.Count(len(words)-maxDiffering, "other factor", "other factors"))
	}
	return fmt.Sprintf("no cell is on both sides: the nearest (%s) differ in %s", nearest[last], strings.Join(words, " and in "))
}

// differs names the factors in which two cells differ, each with its values.
func (c Cell) differs(other Cell, in, otherIn string) (words []string) {
	for _, f := range collect.First(slices.Concat(c.Factors, other.Factors), func(f Factor) string { return f.Name }) {
		a, b := c.Factor(f.Name), other.Factor(f.Name)
		if imported := c.Sample.Library != "" || other.Sample.Library != ""; a == b || imported && unlogged(f.Name) && (a == "" || b == "") {
			continue
		}
		words = append(words, fmt.Sprintf("%s (%s in %s, %s in %s)", f.Name, cut(a, maxValue), cut(named(in), maxValue), cut(b, maxValue), cut(named(otherIn), maxValue)))
	}
	return words
}

// unlogged reports whether logs of other programs need not state a factor.
func unlogged(name string) bool {
	return record.Unlogged(name) || strings.HasPrefix(name, optionPrefix)
}

// working returns the factor by which most cells can be compared, "" if there is none.
func (c *collection) working() (by string, cells int) {
	candidates := []string{"transport", libraryName, labelName, "level", "ranks", "program", "host", "algorithm", "commit"}
	for _, f := range record.Factors {
		if f.Role == record.Asked && f.Name != "bench" && f.Name != "size_B" {
			candidates = append(candidates, f.Name)
		}
	}
	for i, name := range candidates {
		o := Options{By: name}
		if slices.Contains(candidates[:i], name) || o.fill() != nil || o.By == c.options.By {
			continue
		}
		other := newCollection(o)
		other.runs, other.logged = c.runs, c.logged
		if !other.several(c.sources) {
			continue
		}
		other.read(c.sources)
		if other.arrange() != nil {
			continue
		}
		n := len(collect.If(other.cells(), func(m *matched) bool { return len(m.points[0]) > 0 && len(m.points[1]) > 0 }))
		if n > cells {
			by, cells = name, n
		}
	}
	return by, cells
}

// several reports whether the points of sources belong to several sides.
func (c *collection) several(sources []Source) bool {
	points := slices.Concat(collect.Each(sources, func(s Source) []*record.Point { return collect.Pointers(s.File.Points) })...)
	return slices.ContainsFunc(points, func(p *record.Point) bool { return c.by(p, "") != c.by(points[0], "") })
}
