package compare

import (
	"fmt"
	"slices"

	"gobench/internal/bench/state"
	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/record"
)

// states holds the state of the cores of each point.
type states map[*record.Point]state.State

// A stratum holds the points of both sides of a cell in one state of the cores.
type stratum struct {
	in   state.State
	a, b []*record.Point
}

// strata returns the points of both sides by the states that both have, that with most launches
// first; nil if they lack one in common. Points whose state changed while they were measured are
// left out. Points whose distance is not known are added to the first state, if no distance of
// their side is known, or if their ranks were on the same cores as those of the other side.
func (s states) strata(a, b []*record.Point) []stratum {
	left, right := s.sort(a), s.sort(b)
	freeA, freeB := s.free(a, b), s.free(b, a)
	with := func(points, free []*record.Point, st state.State) []*record.Point {
		if st.Pair() == state.Unknown {
			return points
		}
		return append(slices.Clip(points), collect.If(free, func(p *record.Point) bool { return p.Loop == 0 || s[p].Slowed() == st.Slowed() })...)
	}
	var list []stratum
	first, largest := state.Unknown, 0
	for st := range state.Count {
		if n := min(countRuns(with(left[st], freeA, st)), countRuns(with(right[st], freeB, st))); st.Pair() != state.Changing && n > largest {
			largest, first = n, st
		}
	}
	if largest == 0 {
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
func (s states) sort(points []*record.Point) (by [state.Count][]*record.Point) {
	for _, p := range points {
		in := s[p]
		by[in] = append(by[in], p)
	}
	return by
}

// free returns the points of a side with unknown distance that match any state of the other side.
func (s states) free(points, others []*record.Point) []*record.Point {
	list := collect.If(points, func(p *record.Point) bool { return s[p].Pair() == state.Unknown })
	if len(list) == len(points) {
		return list
	}
	return slices.DeleteFunc(list, func(p *record.Point) bool {
		return len(p.Cores) == 0 || !slices.ContainsFunc(others, func(o *record.Point) bool { return slices.Equal(o.Cores, p.Cores) })
	})
}

func countRuns(points []*record.Point) int {
	return len(collect.First(points, func(p *record.Point) string { return p.Run }))
}

// apart returns a clause with the states of two sides that share no state.
func (s states) apart(r *Row, a, b []*record.Point) string {
	return fmt.Sprintf("the cores were %s in %s and %s in %s", s[a[0]], named(r.Base), s[b[0]], named(r.Side))
}

// leftOut returns a sentence about the launches of a side that are not among the counted ones, ""
// if there are none.
func leftOut(side string, all []*record.Point, counted int, in state.State) string {
	of := countRuns(all)
	n := of - counted
	if n <= 0 {
		return ""
	}
	why := fmt.Sprintf("the cores were not %v", in)
	if in == state.Unknown {
		why = "the state of their cores is known, that of the others is not"
	}
	return fmt.Sprintf("%d of %s of %s not counted: %s", n, human.Count(of, "launch", "launches"), named(side), why)
}
