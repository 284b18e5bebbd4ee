// Package state tells kinds of pairs of cores apart by how long a cache line takes from one to
// the other. On virtual machines the host moves virtual cores, so that a pair is near in one
// second and far in the next, and small messages take up to six times as long when it is far.
// Samples, rows and comparisons belong to one state.
package state

import "gobench/bench/record"

// State is a kind of pair of cores, by its distance relative to the least of the machine.
type State int

// States. Distances of one kind of pair vary by a factor of 1.6; the kinds that were seen
// (threads of one core, a shared cache, different caches) are a factor of 2.3 or more apart.
const (
	Unknown  State = iota // not measured: the ranks are on different hosts, or share a core
	Near                  // less than middleFrom times the least distance
	Middle                // from middleFrom on
	Far                   // from farFrom times the least distance on
	Changing              // it changed while samples were taken
	Count
)

const (
	middleFrom = 2
	farFrom    = 4
)

// Distances that no cache line has: less is an error of the clock, more is the time that two ranks
// take to hand a core to each other.
const (
	clockNoise = 5e-9
	coreShared = 1e-6
)

func (s State) String() string {
	return [...]string{"unknown", "near", "middle", "far", "changing"}[s]
}

// Scale is the least distance of two cores of a machine that is known, in seconds. The zero
// Scale knows none.
type Scale struct{ Least float64 }

// Note takes a measured distance into account, in seconds. Zero is none.
func (s *Scale) Note(distance float64) {
	if distance > clockNoise && distance < coreShared && (s.Least == 0 || distance < s.Least) {
		s.Least = distance
	}
}

// NotePoint takes all distances of a point into account.
func (s *Scale) NotePoint(p *record.Point) {
	for _, d := range []float64{p.DistanceBefore, p.DistanceAfter, p.DistanceLeast, p.StateDistance} {
		s.Note(d)
	}
}

// Of returns the state of a distance.
func (s Scale) Of(distance float64) State {
	switch {
	case distance <= 0 || distance >= coreShared:
		return Unknown
	case distance < middleFrom*s.Least:
		return Near
	case distance < farFrom*s.Least:
		return Middle
	}
	return Far
}

// Between returns the state of samples that were taken between two measurements of the
// distance. One that is unknown does not count.
func (s Scale) Between(before, after float64) State {
	a, b := s.Of(before), s.Of(after)
	switch {
	case a == b || b == Unknown:
		return a
	case a == Unknown:
		return b
	}
	return Changing
}

// OfPoint returns the state in which the samples of a point were taken. A point that has a share of
// the time and no distance has those that were taken while it changed. Of a collective of more
// than two ranks the greatest distance of neighbours counts, because the operation has to go as
// far as that.
func (s Scale) OfPoint(p *record.Point) State {
	switch {
	case p.StateShare > 0 && p.StateDistance == 0:
		return Changing
	case p.DistanceMost > 0:
		return s.Of(p.DistanceMost)
	case p.StateDistance > 0:
		return s.Of(p.StateDistance)
	}
	return s.Between(p.DistanceBefore, p.DistanceAfter)
}
