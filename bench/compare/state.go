package compare

import (
	"fmt"
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

// A stratum holds the points of both sides of a cell in one state of the cores.
type stratum struct {
	in   state.State
	a, b []*record.Point
}

// strata returns the points of both sides by the states that both have, that with most launches
// first; nil if they have none in common. Points whose state changed while they were measured are
// left out. Points whose distance is not known are added to the first state, if no distance of
// their side is known, or if their ranks were on the same cores as those of the other side.
func (s scales) strata(a, b []*record.Point) []stratum {
	left, right := s.sort(a), s.sort(b)
	freeA, freeB := s.free(a, b), s.free(b, a)
	with := func(points, free []*record.Point, st state.State) []*record.Point {
		if st.Pair() == state.Unknown {
			return points
		}
		all := slices.Clip(points)
		for _, p := range free {
			if p.Loop == 0 || s.state(p).Slowed() == st.Slowed() {
				all = append(all, p)
			}
		}
		return all
	}
	var list []stratum
	first, most := state.Unknown, 0
	for st := range state.Count {
		if n := min(countRuns(with(left[st], freeA, st)), countRuns(with(right[st], freeB, st))); st.Pair() != state.Changing && n > most {
			most, first = n, st
		}
	}
	if most == 0 {
		return nil
	}
	for st := range state.Count {
		one := stratum{st, left[st], right[st]}
		if st.Pair() == first.Pair() {
			one.a, one.b = with(one.a, freeA, st), with(one.b, freeB, st)
		}
		switch {
		case st.Pair() == state.Changing || len(one.a) == 0 || len(one.b) == 0:
		case st == first:
			list = slices.Insert(list, 0, one)
		default:
			list = append(list, one)
		}
	}
	return list
}

// sort returns the points of one side by the state of their cores.
func (s scales) sort(points []*record.Point) (by [state.Count][]*record.Point) {
	for _, p := range points {
		in := s.state(p)
		by[in] = append(by[in], p)
	}
	return by
}

// free returns the points of a side with unknown distance that match any state of the other side.
func (s scales) free(points, others []*record.Point) (list []*record.Point) {
	for _, p := range points {
		if s.state(p).Pair() == state.Unknown {
			list = append(list, p)
		}
	}
	if len(list) == len(points) {
		return list
	}
	return slices.DeleteFunc(list, func(p *record.Point) bool {
		return len(p.Cores) == 0 || !slices.ContainsFunc(others, func(o *record.Point) bool { return slices.Equal(o.Cores, p.Cores) })
	})
}

// most returns the points of a cell of one side in the state with most launches.
func (s scales) most(points []*record.Point) []*record.Point {
	if list := s.strata(points, points); list != nil {
		return list[0].a
	}
	return nil
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

// leftOut returns a sentence about the launches of a side that are not among the counted ones, ""
// if there are none.
func leftOut(side string, all []*record.Point, counted int, in state.State) string {
	of := countRuns(all)
	if n := of - counted; n > 0 {
		return fmt.Sprintf("%d of %s of %s not counted: the cores were not %s", n, count(of, "launch", "launches"), named(side), in)
	}
	return ""
}
