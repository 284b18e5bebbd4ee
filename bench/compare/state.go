package compare

import (
	"fmt"

	"gobench/bench/record"
	"gobench/bench/state"
)

// scales knows the least distance of two cores of each machine, over all points.
type scales struct {
	runs map[string]facts
	of   map[string]*state.Scale // by name of the host
}

func newScales(runs map[string]facts) scales { return scales{runs, map[string]*state.Scale{}} }

func (s scales) note(p *record.Point) {
	host := s.runs[p.Run][hostName]
	if s.of[host] == nil {
		s.of[host] = &state.Scale{}
	}
	s.of[host].NotePoint(p)
}

func (s scales) state(p *record.Point) state.State {
	scale := s.of[s.runs[p.Run][hostName]]
	if scale == nil {
		return state.Unknown
	}
	return scale.OfPoint(p)
}

// sorted are the points of one side of a cell by the state of its cores.
type sorted [state.Count][]*record.Point

func (s scales) sort(points []*record.Point) (by sorted) {
	for _, p := range points {
		in := s.state(p)
		by[in] = append(by[in], p)
	}
	if len(by[state.Unknown]) == len(points) {
		for in := range by {
			by[in] = points // of cores whose distance was never measured all suit any state
		}
	}
	return by
}

// choose returns the points of both sides that are in one state: in that of which both
// have most launches, or all of them, with false, where they have none in common. Samples during
// which the state changed belong to none.
func (s scales) choose(a, b []*record.Point) (in state.State, fromA, fromB []*record.Point, ok bool) {
	left, right := s.sort(a), s.sort(b)
	most := 0
	for st := range state.Count {
		if n := min(countRuns(left[st]), countRuns(right[st])); st != state.Changing && n > most {
			most, in = n, st
		}
	}
	if most == 0 {
		return state.Unknown, a, b, false
	}
	return in, left[in], right[in], true
}

func countRuns(points []*record.Point) int {
	runs := map[string]bool{}
	for _, p := range points {
		runs[p.Run] = true
	}
	return len(runs)
}

// apart says in which states two sides are that have none in common.
func (s scales) apart(r *Row, a, b []*record.Point) string {
	return fmt.Sprintf("the cores were %s in %s and %s in %s", s.state(a[0]), named(r.Base), s.state(b[0]), named(r.Side))
}

// leftOut says how many launches of a side were in another state only.
func leftOut(side string, all, kept []*record.Point, in state.State) string {
	of := countRuns(all)
	if n := of - countRuns(kept); n > 0 {
		return fmt.Sprintf("%d of %s of %s not counted: the cores were not %s", n, count(of, "launch", "launches"), named(side), in)
	}
	return ""
}
