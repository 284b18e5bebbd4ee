package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gobench/compare"
	"gobench/record"
	"gobench/stats"
)

// A rivalry compares one cell of gobench with the fastest rival.
type rivalry struct {
	cell    string
	rival   string
	ratio   stats.Interval // gobench / rival, of the metric
	n       int            // launches of the side with fewest
	without string         // a side that lacks the cell, "" if there is none
}

// relative evaluates a ratio to the fastest rivals. A rival without any result could not be run on
// this machine: it is named, and the others decide.
func (t *target) relative(o *outcome, file *record.File, all *pool) {
	measured := map[string]bool{}
	for i := range all.Points {
		if p := &all.Points[i]; p.Library != "" && t.matches(p) {
			measured[p.Library] = true
		}
	}
	list, lower := t.rivalries(file, measured)
	meets := func(x, bound float64) bool { return bound == 0 || x == bound || (x < bound) == lower }
	var misses, lacking, parts []string
	few, logs := 0, 0.0
	for _, r := range list {
		if r.without != "" {
			lacking = append(lacking, r.cell+" without "+r.without)
			continue
		}
		if r.n < fewestLaunches {
			few++
		}
		logs += math.Log(r.ratio.Median)
		if !meets(r.ratio.Median, t.Ratio) {
			misses = append(misses, fmt.Sprintf("%s (%.2f of %s)", r.cell, r.ratio.Median, r.rival))
		}
	}
	mean := math.Exp(logs / float64(len(list)))
	o.Decided = len(list) > 0 && len(lacking)+few == 0
	o.Met = len(misses) == 0 && meets(mean, t.Mean)
	if t.Mean > 0 {
		parts = append(parts, fmt.Sprintf("%.3f over %d cells", mean, len(list)))
	}
	switch {
	case len(list) == 0:
		parts = []string{"nothing to compare"}
	case len(lacking) > 0:
		parts = []string{fmt.Sprintf("nothing to compare in %d of %d cells: %s", len(lacking), len(list), strings.Join(lacking, ", "))}
	case t.Ratio == 0:
	case len(list) == 1:
		r := list[0]
		parts = append(parts, fmt.Sprintf("%.2f%s of %s, n=%d", r.ratio.Median, bounds(r.ratio), r.rival, r.n))
	default:
		parts = append(parts, fmt.Sprintf("missed in %d of %d cells", len(misses), len(list)))
		if len(misses) > 0 {
			parts[len(parts)-1] += ": " + strings.Join(misses, ", ")
		}
	}
	if few > 0 && len(list) > 1 {
		parts = append(parts, fmt.Sprintf("too few launches in %d of %d cells", few, len(list)))
	}
	absent := slices.DeleteFunc(slices.Clone(t.Rivals), func(name string) bool { return measured[name] })
	if len(absent) > 0 {
		parts = append(parts, fmt.Sprintf("without %s (no launches)", strings.Join(absent, ", ")))
	}
	o.Measured = strings.Join(parts, "; ")
}

// rivalries compares each cell of gobench or a rival with the fastest rival: that with the ratio
// least in favour of gobench, because a ratio is of one state of the cores and medians of different
// rivals may not be. A side without the cell, such as a measured rival whose launches were in other
// states, is named. lower reports whether lower values are better.
func (t *target) rivalries(file *record.File, measured map[string]bool) (list []*rivalry, lower bool) {
	r, err := compare.Compare([]compare.Source{{Name: "all", File: file}}, compare.Options{By: "library", Base: "gobench", Metric: t.key()})
	if err != nil {
		return nil, true
	}
	lower = true
	index := map[string]*rivalry{}
	at := func(c compare.Cell) *rivalry {
		one := index[c.String()]
		if one == nil {
			one = &rivalry{cell: c.Label()}
			index[c.String()], list = one, append(list, one)
		}
		return one
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		one := at(row.Cell)
		if row.Apart || row.Ratio.Median == 0 {
			one.without = row.Side
			continue
		}
		lower = row.Metric.Direction == record.Lower
		n, ratio := min(row.NA, row.NB), stats.Interval{Median: 1 / row.Ratio.Median}
		if row.Ratio.Lo > 0 {
			ratio.Lo, ratio.Hi = 1/row.Ratio.Hi, 1/row.Ratio.Lo
		}
		if one.rival == "" {
			one.n = n
		}
		if one.n = min(one.n, n); one.rival == "" || (ratio.Median > one.ratio.Median) == lower {
			one.rival, one.ratio = row.Side, ratio
		}
	}
	for _, m := range r.Missing {
		at(m.Cell).without = m.Side
	}
	for _, name := range t.Rivals {
		if measured[name] && !slices.ContainsFunc(r.Sides, func(s compare.Side) bool { return s.Name == name }) {
			for _, one := range list {
				one.without = name
			}
		}
	}
	return list, lower
}

func bounds(x stats.Interval) string {
	if x.Lo == 0 {
		return ""
	}
	return fmt.Sprintf(" [%.2f, %.2f]", x.Lo, x.Hi)
}
