package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gobench/internal/bench/state"
	"gobench/internal/human"
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
			where := human.Size(one.size)
			if slices.ContainsFunc(r.list, func(o race) bool { return o.size == one.size && o.in != one.in }) {
				where += ", cores " + one.in.String()
			}
			lines = append(lines, one.text(where))
		}
	}
	return lines
}

// An outcome is the result of a race: the entry of the lowest median, all algorithms whose interval
// between launches, or median where that is missing, overlaps with its interval (its own first),
// and the next one, nil if there is none. known is false where an interval is missing.
type outcome struct {
	best  entry
	alike []string
	next  *entry
	known bool
}

func (r race) outcome() outcome {
	o := outcome{best: r.entries[0]}
	for _, e := range r.entries {
		if e.time.Median < o.best.time.Median {
			o.best = e
		}
	}
	o.alike, o.known = []string{o.best.algorithm}, o.best.time.Hi > 0
	for i, e := range r.entries {
		if e.algorithm == o.best.algorithm {
			continue
		}
		o.known = o.known && e.time.Lo > 0
		if cmp.Or(e.time.Lo, e.time.Median) <= o.best.time.Hi {
			o.alike = append(o.alike, e.algorithm)
		} else if o.next == nil || e.time.Median < o.next.time.Median {
			o.next = &r.entries[i]
		}
	}
	return o
}

// text names the fastest algorithm, those like it, and the next one. Without intervals the lowest
// median is inconclusive.
func (r race) text(where string) string {
	o := r.outcome()
	time := micros(o.best.time.Median)
	s := fmt.Sprintf("best at %s: %s, %s us", where, o.best.algorithm, time)
	switch {
	case !o.known:
		s = fmt.Sprintf("lowest at %s: %s, %s us (inconclusive: an interval takes 6 launches)", where, o.best.algorithm, time)
	case len(o.alike) > 1:
		s = fmt.Sprintf("best at %s: inconclusive among %s, about %s us", where, strings.Join(o.alike, ", "), time)
	}
	if o.next != nil {
		s += fmt.Sprintf("; next %s, %.2f times as long", o.next.algorithm, o.next.time.Median/o.best.time.Median)
	}
	return s
}
