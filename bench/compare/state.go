package compare

import (
	"fmt"
	"slices"

	"gobench/bench/record"
)

// state says how far the cores of a launch were from each other while a cell was
// measured. On virtual machines a pair of vCPUs changes between near and far
// within seconds, and small messages take three times as long: only launches in
// one state are compared.
type state int

const (
	unknown  state = iota // not measured: no shared memory
	near                  // at most nearFactor times the least distance of this machine
	far                   // more than that
	changing              // one before and the other after
	states
)

func (s state) String() string { return [...]string{"unknown", "near", "far", "changing"}[s] }

// nearFactor is how far above the least distance of a machine a pair still
// counts as near: within the near state distances vary by up to three, far
// begins at about five.
const nearFactor = 4

// clockNoise is a distance that no cache line keeps to: a clock's error.
const clockNoise = 5e-9

// distances knows the least distance of two cores, over all points.
type distances struct{ least float64 }

func newDistances(cells []*matched) distances {
	var d distances
	for _, cell := range cells {
		for _, p := range slices.Concat(cell.sides...) {
			for _, x := range []float64{p.DistanceBefore, p.DistanceAfter, p.DistanceLeast} {
				if x > clockNoise && (d.least == 0 || x < d.least) {
					d.least = x
				}
			}
		}
	}
	return d
}

func (d distances) state(p *record.Point) state {
	switch before, after := d.of(p.DistanceBefore), d.of(p.DistanceAfter); {
	case p.DistanceMost > 0:
		return d.of(p.DistanceMost)
	case before == after:
		return before
	case before == unknown:
		return after
	case after == unknown:
		return before
	}
	return changing
}

func (d distances) of(x float64) state {
	switch {
	case x <= 0:
		return unknown
	case x <= nearFactor*d.least:
		return near
	}
	return far
}

// choose returns the points of both sides that are in one state: in that of which both
// have most, or all of them, with false, where they have none in common. A side
// whose cores share no memory, such as one over TCP, suits any state.
func (d distances) choose(a, b []*record.Point) (in state, fromA, fromB []*record.Point, ok bool) {
	sort := func(points []*record.Point) (by [states][]*record.Point) {
		for _, p := range points {
			s := d.state(p)
			by[s] = append(by[s], p)
		}
		return by
	}
	left, right := sort(a), sort(b)
	if len(left[unknown]) == len(a) {
		left = [states][]*record.Point{a, a, a, a}
	}
	if len(right[unknown]) == len(b) {
		right = [states][]*record.Point{b, b, b, b}
	}
	most := 0
	for s := range states {
		if n := min(len(left[s]), len(right[s])); n > most {
			most, in = n, s
		}
	}
	if most == 0 {
		return unknown, a, b, false
	}
	return in, left[in], right[in], true
}

// leftOut says how many points of a side were in another state.
func leftOut(side string, all, kept []*record.Point, in state) string {
	n := len(all) - len(kept)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d results of %s are left out: their cores were not %s", n, len(all), named(side), in)
}
