package compare

import (
	"fmt"
	"math"
	"slices"

	"gobench/bench/record"
	"gobench/bench/state"
)

// scales holds the least core-to-core latency of each machine, over all points and what was known
// when their runs began.
type scales struct {
	runs map[string]facts
	of   map[string]*state.Scale // by name of the host
}

func newScales(runs map[string]facts) scales { return scales{runs, map[string]*state.Scale{}} }

// run adds what was known of the machine of a run, whose facts are stored.
func (s scales) run(r *record.Run) { s.scaleOf(r.ID).NoteRun(r) }

func (s scales) note(p *record.Point) { s.scaleOf(p.Run).NotePoint(p) }

func (s scales) scaleOf(run string) *state.Scale {
	host := s.runs[run][hostName]
	if s.of[host] == nil {
		s.of[host] = &state.Scale{}
	}
	return s.of[host]
}

func (s scales) state(p *record.Point) state.State {
	scale := s.of[s.runs[p.Run][hostName]]
	if scale == nil {
		return state.Unknown
	}
	return scale.OfPoint(p)
}

// sorted holds the points of one side of a cell by the state of their cores.
type sorted [state.Count][]*record.Point

func (s scales) sort(points []*record.Point) (by sorted) {
	for _, p := range points {
		in := s.state(p)
		by[in] = append(by[in], p)
	}
	if len(by[state.Unknown]) == len(points) {
		for in := range by {
			by[in] = points // the distance was never measured: all points count in any state
		}
	}
	return by
}

// choose returns the points of both sides in the state with most launches on both sides. It returns
// all points and false if the sides have no state in common. Points whose state changed while they
// were measured are left out.
func (s scales) choose(a, b []*record.Point) (in state.State, fromA, fromB []*record.Point, ok bool) {
	left, right := s.sort(a), s.sort(b)
	most := 0
	for st := range state.Count {
		if n := min(countRuns(left[st]), countRuns(right[st])); st.Pair() != state.Changing && n > most {
			most, in = n, st
		}
	}
	if most == 0 {
		return state.Unknown, a, b, false
	}
	return in, left[in], right[in], true
}

// aligned scales points in other states to the state in, so that they count as well. The level of a
// state is the geometric mean of the medians of the two sides. Values of each state in which both
// sides have at least two launches are multiplied by level(in) / level(state), which does not
// change the difference of the sides. It returns the points of in and of these states, and the
// factors of the scaled points.
func (s scales) aligned(in state.State, a, b []*record.Point, value func(*record.Point) float64) (fromA, fromB []*record.Point, times map[*record.Point]float64) {
	left, right := s.sort(a), s.sort(b)
	fromA, fromB = left[in], right[in]
	if len(left[state.Near]) > 0 && len(left[state.Far]) > 0 && left[state.Near][0] == left[state.Far][0] ||
		len(right[state.Near]) > 0 && len(right[state.Far]) > 0 && right[state.Near][0] == right[state.Far][0] {
		return fromA, fromB, nil // the states of a side are not known
	}
	level := func(st state.State) float64 {
		return math.Sqrt(middleOf(left[st], value) * middleOf(right[st], value))
	}
	times = map[*record.Point]float64{}
	for st := range state.Count {
		if st == in || st.Pair() == state.Changing || min(countRuns(left[st]), countRuns(right[st])) < 2 {
			continue
		}
		by := level(in) / level(st)
		for _, p := range slices.Concat(left[st], right[st]) {
			times[p] = by
		}
		fromA, fromB = slices.Concat(fromA, left[st]), slices.Concat(fromB, right[st])
	}
	return fromA, fromB, times
}

func middleOf(points []*record.Point, value func(*record.Point) float64) float64 {
	list := make([]float64, len(points))
	for i, p := range points {
		list[i] = value(p)
	}
	return middle(list)
}

func countRuns(points []*record.Point) int {
	runs := map[string]bool{}
	for _, p := range points {
		runs[p.Run] = true
	}
	return len(runs)
}

// apart returns a clause with the states of two sides that have none in common.
func (s scales) apart(r *Row, a, b []*record.Point) string {
	return fmt.Sprintf("the cores were %s in %s and %s in %s", s.state(a[0]), named(r.Base), s.state(b[0]), named(r.Side))
}

// leftOut returns a sentence about the launches of a side without points in the state in, "" if
// there are none.
func leftOut(side string, all, kept []*record.Point, in state.State) string {
	of := countRuns(all)
	if n := of - countRuns(kept); n > 0 {
		return fmt.Sprintf("%d of %s of %s not counted: the cores were not %s", n, count(of, "launch", "launches"), named(side), in)
	}
	return ""
}
