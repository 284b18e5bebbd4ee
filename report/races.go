package report

import (
	"fmt"
	"slices"
	"strings"

	"gobench/bench/state"
	"gobench/record"
)

// races collects the algorithms that were measured at each size and state of the cores of a block,
// to report the fastest.
type races struct {
	list []race // in the order of their first appearance
}

type race struct {
	size    int64
	in      state.State
	entries []entry
}

type entry struct {
	algorithm string
	time      record.Value
}

func (r *races) add(p *record.Point, in state.State) {
	time, ok := p.Metrics.Lookup(record.TimeKey(p.Metrics))
	if p.Algorithm == "" || !ok {
		return
	}
	for i := range r.list {
		if r.list[i].size == p.Size && r.list[i].in == in {
			r.list[i].entries = append(r.list[i].entries, entry{p.Algorithm, time})
			return
		}
	}
	r.list = append(r.list, race{p.Size, in, []entry{{p.Algorithm, time}}})
}

// lines returns one line for each size and state in which several algorithms ran. It names the
// state at sizes that were measured in several.
func (r *races) lines() []string {
	var lines []string
	for _, one := range r.list {
		if len(one.entries) > 1 {
			where := FormatSize(one.size)
			if slices.ContainsFunc(r.list, func(o race) bool { return o.size == one.size && o.in != one.in }) {
				where += ", cores " + one.in.String()
			}
			lines = append(lines, one.text(where))
		}
	}
	return lines
}

// text names the fastest algorithm, all others whose interval between launches overlaps with its
// interval, and the next one. Without intervals the lowest median is inconclusive.
func (r race) text(where string) string {
	best := r.entries[0]
	for _, e := range r.entries {
		if e.time.Median < best.time.Median {
			best = e
		}
	}
	alike := []string{best.algorithm}
	known := best.time.Hi > 0
	var next *entry
	for i, e := range r.entries {
		switch {
		case e.algorithm == best.algorithm:
		case known && e.time.Lo > 0 && e.time.Lo <= best.time.Hi:
			alike = append(alike, e.algorithm)
		default:
			known = known && e.time.Lo > 0
			if next == nil || e.time.Median < next.time.Median {
				next = &r.entries[i]
			}
		}
	}
	time := micros(best.time.Median)
	s := fmt.Sprintf("best at %s: %s, %s us", where, best.algorithm, time)
	switch {
	case !known:
		s = fmt.Sprintf("lowest at %s: %s, %s us (inconclusive: an interval takes 6 launches)", where, best.algorithm, time)
	case len(alike) > 1:
		s = fmt.Sprintf("best at %s: inconclusive among %s, about %s us", where, strings.Join(alike, ", "), time)
	}
	if next != nil {
		s += fmt.Sprintf("; next %s, %.2f times as long", next.algorithm, next.time.Median/best.time.Median)
	}
	return s
}
