package report

import (
	"fmt"
	"strings"

	"gobench/bench/record"
)

// races collects the algorithms that were measured at each size of a block, to report the fastest.
type races struct {
	list []race // in the order of their first appearance
}

type race struct {
	size    int64
	entries []entry
}

type entry struct {
	algorithm string
	time      record.Value
}

func (r *races) add(p record.Point) {
	time, ok := p.Metrics[record.TimeKey(p.Metrics)]
	if p.Algorithm == "" || !ok {
		return
	}
	for i := range r.list {
		if r.list[i].size == p.Size {
			r.list[i].entries = append(r.list[i].entries, entry{p.Algorithm, time})
			return
		}
	}
	r.list = append(r.list, race{p.Size, []entry{{p.Algorithm, time}}})
}

// lines returns one line for each size at which several algorithms ran.
func (r *races) lines() []string {
	var lines []string
	for _, race := range r.list {
		if len(race.entries) > 1 {
			lines = append(lines, race.String())
		}
	}
	return lines
}

// String names the fastest algorithm, all others whose interval between launches overlaps with its
// interval, and the next one. Without intervals the lowest median is inconclusive.
func (r race) String() string {
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
	where, time := FormatSize(r.size), micros(best.time.Median)
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
