package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/launch/hostlist"
	"gobench/record"
)

// listed is the number of items that a warning names before it counts the rest.
const listed = 5

// warnings returns the warnings about the data as a whole.
func (c *collection) warnings(r *Result) []string {
	var list []string
	add := func(s string) {
		if s != "" {
			list = append(list, s)
		}
	}
	if c.without > 0 {
		add(fmt.Sprintf("%s without metric %s left out", human.Count(c.without, "result", "results"), c.options.Metric))
	}
	if len(r.Rows) == 0 {
		return list
	}
	for i := range c.sides {
		if c.counts[i].points == 0 {
			add(fmt.Sprintf("%s holds no results", named(c.sides[i])))
		}
		add(r.selfTests(c.sides[i]))
	}
	list = append(list, r.mixed...)
	list = append(list, r.Failed...)
	list = append(list, r.implied...)
	if r.SameProgram {
		add("same program on all sides: every difference is caused by the machine")
	}
	list = append(list, c.logs(r)...)
	list = append(list, c.facts()...)
	for _, s := range r.Sides {
		if len(s.Hosts) > 1 && c.options.By != hostName {
			add(fmt.Sprintf("%s contains results of several machines (%s): each machine is compared separately", named(s.Name), hostlist.Fold(s.Hosts)))
		}
	}
	for _, f := range slices.Concat(c.hidden, c.chosen) {
		if f.Text != nil {
			add(c.differs(r, f))
		}
	}
	list = append(list, c.missing(r)...)
	add(r.foreign)
	add(r.blind())
	return list
}

func named(side string) string {
	if side == "" {
		return "(none)"
	}
	return side
}

// facts returns the differences in program, machine and job between the base and other sides, one
// sentence for all sides that differ from it in the same way.
func (c *collection) facts() (list []string) {
	alike := map[string][]string{} // names of sides, by their differences
	var order []string
	for i := 1; i < len(c.sides); i++ {
		differing := c.differences(i)
		if differing == "" {
			continue
		}
		if alike[differing] == nil {
			order = append(order, differing)
		}
		alike[differing] = append(alike[differing], named(c.sides[i]))
	}
	for _, differing := range order {
		others := strings.Join(alike[differing], ", ")
		if len(alike[differing]) > 1 {
			others = "each of " + others
		}
		list = append(list, fmt.Sprintf("%s and %s also differ in %s", named(c.sides[0]), others, differing))
	}
	return list
}

// differences returns the facts in which a side differs from the base, "" if there are none.
func (c *collection) differences(side int) string {
	base, other := c.known(0), c.known(side)
	if len(base) == 0 || len(other) == 0 {
		return ""
	}
	// A fact that only one side has is a difference too, unless the other side, such as an imported
	// log, has no facts of that kind.
	both := map[string]bool{}
	for name := range base {
		if kind := kindOf(name); !both[kind] {
			both[kind] = slices.ContainsFunc(slices.Collect(maps.Keys(other)), func(n string) bool { return kindOf(n) == kind })
		}
	}
	names := maps.Clone(base)
	maps.Copy(names, other)
	var differing []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if a, b := base[name], other[name]; a != b && both[kindOf(name)] && name != c.options.By {
			differing = append(differing, fmt.Sprintf("%s (%s, %s)", name, short(a), short(b)))
		}
	}
	return enumerate(differing)
}

// kindOf returns the first part of a fact's name: "host" of "host.cpu.model".
func kindOf(fact string) string {
	kind, _, _ := strings.Cut(fact, ".")
	return kind
}

// known returns the facts of all runs of a side; several values are joined.
func (c *collection) known(side int) facts {
	all := map[string][]string{}
	for run := range c.counts[side].runs {
		for name, value := range c.runs[run] {
			all[name] = collect.Union(all[name], value)
		}
	}
	one := facts{}
	for name, values := range all {
		slices.Sort(values)
		one[name] = short(strings.Join(values, " or "))
	}
	return one
}

// short truncates long values.
func short(s string) string { return cut(s, 60) }

// cut truncates a value to a number of characters.
func cut(s string, limit int) string {
	if r := []rune(s); len(r) > limit {
		return string(r[:limit]) + "..."
	}
	if s == "" {
		return "none"
	}
	return s
}

func enumerate(list []string) string {
	if len(list) > listed {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:listed], ", "), len(list)-listed)
	}
	return strings.Join(list, ", ")
}

// differs returns a warning if a factor that does not separate cells, such as the protocol, differs
// between the sides of a cell, else "".
func (c *collection) differs(r *Result, f record.Factor) string {
	n, example := 0, ""
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.hidden == nil || row.Cell.Factor(f.Name) != "" {
			continue
		}
		if h, ok := row.hidden[f.Name]; ok {
			n++
			if example == "" {
				example = fmt.Sprintf("%s: %s in %s, %s in %s", row.Cell, short(h[0]), named(row.Base), short(h[1]), named(row.Side))
			}
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s differs in %s (%s)", f.Name, plural(n, len(r.Rows), "", ""), example)
}

// selfTests returns a warning about results of a side that were measured with an injected fault, ""
// if there are none.
func (r *Result) selfTests(side string) string {
	n, what := 0, ""
	for _, p := range r.points[side] {
		if s := p.SelfTest(); s != "" {
			n, what = n+1, s
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %s of %s come from a self-test, not from the program: %s", n, human.Count(len(r.points[side]), "result", "results"), named(side), what)
}

// mixed returns a warning for each side that has launches of the base: the same file or a copy of
// it, or a file to which new launches were appended. Common launches hide a difference.
func (c *collection) mixed() (list []string) {
	if c.options.By != byFile {
		return nil // one launch may measure several transports
	}
	for i := 1; i < len(c.sides); i++ {
		both := 0
		for run := range c.counts[i].runs {
			if c.counts[0].runs[run] {
				both++
			}
		}
		switch own := len(c.counts[i].runs); {
		case both == 0:
		case both == own && own == len(c.counts[0].runs):
			list = append(list, fmt.Sprintf("%s and %s have the same %s: one of them is a copy, and this comparison shows nothing", named(c.sides[0]), named(c.sides[i]), human.Count(both, "launch", "launches")))
		default:
			list = append(list, fmt.Sprintf("%d of %s of %s are also in %s: compare files without common launches", both, human.Count(own, "launch", "launches"), named(c.sides[i]), named(c.sides[0])))
		}
	}
	return list
}

// failed returns sentences about launches of the sources that failed.
func (c *collection) failed() (list []string) {
	for _, s := range c.sources {
		for _, text := range s.File.Failed() {
			if len(c.sources) > 1 {
				text = s.Name + ": " + text
			}
			list = append(list, text)
		}
	}
	return list
}

// implications returns a sentence for each side that is compared by another factor than the
// requested one as well, because it has no value in common with the base.
func (c *collection) implications() (list []string) {
	for i := 1; i < len(c.sides); i++ {
		for _, f := range c.implied[i] {
			text := func(side int) string {
				names := c.values(c.bySide[side], f)
				for n := range names {
					names[n] = cmp.Or(names[n], map[bool]string{true: own}[f.Name == libraryName], "none")
				}
				return strings.Join(names, ", ")
			}
			list = append(list, fmt.Sprintf("%s has %s %s, %s has %s: the cells are compared by %s", named(c.sides[0]), f.Name, text(0), named(c.sides[i]), text(i), f.Name))
		}
	}
	return list
}

// missing returns warnings about sides that lack cells of the others. They name cells if at most
// two sides lack some.
func (c *collection) missing(r *Result) (list []string) {
	cells := map[string][]string{}
	for _, m := range r.Missing {
		cells[m.Side] = append(cells[m.Side], m.Cell.String())
	}
	for _, side := range c.sides {
		switch names := cells[side]; {
		case len(names) == 0:
		case len(cells) > 2:
			list = append(list, fmt.Sprintf("%s lacks %d", named(side), len(names)))
		default:
			list = append(list, fmt.Sprintf("%s lacks %s of the others: %s", named(side), human.Count(len(names), "cell", "cells"), enumerate(names)))
		}
	}
	if len(cells) > 2 {
		list = []string{"not every side has every cell: " + strings.Join(list, ", ")}
	}
	return list
}
