// Package state classifies the states of the cores in which samples are taken. On virtual machines
// the hypervisor migrates virtual cores, so that a pair is near in one second and far in the next.
// It also gives the sibling thread of a core to other machines, so that code takes up to twice as
// long. Small messages then take up to six times as long. Therefore samples of different states are
// reported and compared separately.
package state

import (
	"math"

	"gobench/internal/bench/pace"
	"gobench/record"
)

// A State is a kind of pair of cores (by its distance relative to the least of the machine), and
// whether a core was slowed. Slowed states have odd values.
type State int

// States of cores at full speed. Core-to-core latencies of one kind of pair vary by a factor of
// 1.6. The observed kinds (threads of one core, a shared cache, different caches) differ by a
// factor of at least 2.3.
const (
	Unknown  State = 2 * iota // not measured: the ranks are on different hosts, or share a core
	Near                      // less than middleFrom times the least distance
	Middle                    // from middleFrom on
	Far                       // from farFrom times the least distance on
	Changing                  // the distance changed while samples were taken
	Count
)

// slowed is added to a state in which a core was slowed.
const slowed State = 1

const (
	middleFrom = 2
	farFrom    = 4
	// slowFrom is the time of the loop of package pace relative to the least, above which a core
	// counts as slowed: undisturbed it varies by 2 %, beside another thread it takes 1.5 to 1.9
	// times as long.
	slowFrom = 1.15
)

// Bounds of the core-to-core latency in seconds: a lower value is an error of the clock, a higher
// one is the time of context switches on a shared core.
const (
	clockNoise = 5e-9
	coreShared = 1e-6
)

// Measurements of undisturbed cores agree within these factors: latencies of one kind of pair, and
// times of the loop.
const (
	distancesAgree = 1.6
	loopsAgree     = slowFrom
)

// slowest is the time of the loop on the slowest usable core relative to the least: a second thread
// makes it 1.9 times as long, and the lowest clock rate twice as long again.
const slowest = 4

// Pair returns the state without the speed of the cores.
func (s State) Pair() State { return s &^ slowed }

// Slowed reports whether a core was slowed.
func (s State) Slowed() bool { return s&slowed != 0 }

func (s State) String() string {
	name := [...]string{"unknown", "near", "middle", "far", "changing"}[s.Pair()/2]
	if s.Slowed() {
		name += " slow"
	}
	return name
}

// Parse returns the state that String writes as text, Unknown for any other text.
func Parse(text string) State {
	for s := range Count {
		if s.String() == text {
			return s
		}
	}
	return Unknown
}

// Common returns the state of the largest number of launches, which are counted by state; the first
// one of equal numbers.
func Common(launches [Count]int) State {
	common := Unknown
	for in, n := range launches {
		if n > launches[common] {
			common = State(in)
		}
	}
	return common
}

// A Scale holds the best values of a machine's cores: their least distance and the least time of
// the loop of package pace, in seconds; 0 = not known. A Scale with values and without
// measurements, as it is read from JSON, is right by definition.
//
// A measured value counts once a second one agrees with it; see least. What a run says was known
// when it began is stored separately, because it may be better than anything measured since: a
// launch on slowed cores cannot detect that they are slow. It counts like a measurement beside what
// other runs say.
type Scale struct {
	Distance float64 `json:"distance_s,omitempty"`
	Loop     float64 `json:"loop_s,omitempty"`

	// Copy is the copy bandwidth of a core in memory in bytes per second, and Cache the size of the
	// last-level cache; 0 = not known.
	Copy  float64 `json:"-"`
	Cache int64   `json:"-"`

	distances, knownDistances lowest // measured; known when runs began
	loops, knownLoops         lowest
	last                      measured // of AddPoint
}

// measured holds the values of a point, and its time in ns; 0 = not known.
type measured struct {
	at             int64
	distance, loop float64
}

// From returns the scale of known values.
func From(known record.Scale) Scale {
	return Scale{Distance: known.Distance, Loop: known.Loop, Copy: known.Copy, Cache: known.Cache}
}

// Values returns the values of the scale.
func (s Scale) Values() record.Scale {
	return record.Scale{Distance: s.Distance, Loop: s.Loop, Copy: s.Copy, Cache: s.Cache}
}

// Add adds a measured distance in seconds; 0 = not measured.
func (s *Scale) Add(distance float64) {
	if possibleDistance(distance) {
		s.fill()
		s.distances.add(distance, distancesAgree)
		s.settle()
	}
}

// AddLoop adds a measured time of the loop in seconds; 0 = not measured.
func (s *Scale) AddLoop(time float64) {
	if possibleLoop(time) {
		s.fill()
		s.loops.add(time, loopsAgree)
		s.settle()
	}
}

// Measured returns the distance and the loop that a point measured, one of each; 0 = not measured.
func Measured(p *record.Point) (distance, loop float64) {
	lowest := 0.0
	for _, d := range []float64{p.DistanceBefore, p.DistanceAfter, p.DistanceMin, p.StateDistance} {
		if possibleDistance(d) && (lowest == 0 || d < lowest) {
			lowest = d
		}
	}
	return lowest, p.Loop
}

// AddPoint adds what a point measured. The states of a cell, which come one after the other, share
// measurements, which count once.
func (s *Scale) AddPoint(p *record.Point) {
	m, last := measured{}, s.last
	if m.distance, m.loop = Measured(p); !p.Time.IsZero() {
		m.at = p.Time.UnixNano()
	}
	s.last = m
	other := m.at == 0 || m.at != last.at
	if other || m.distance != last.distance {
		s.Add(m.distance)
	}
	if other || m.loop != last.loop {
		s.AddLoop(m.loop)
	}
}

// AddRun adds what was known of the machine of a run when it began.
func (s *Scale) AddRun(r *record.Run) {
	s.fill()
	if possibleDistance(r.MinDistance) {
		s.knownDistances.add(r.MinDistance, distancesAgree)
	}
	if possibleLoop(r.MinLoop) {
		s.knownLoops.add(r.MinLoop, loopsAgree)
	}
	s.settle()
	s.Copy, s.Cache = max(s.Copy, r.Copy), max(s.Cache, r.Cache)
}

// Confirmed returns the values with which a second measurement agrees.
func (s Scale) Confirmed() Scale {
	s.fill()
	var c Scale
	if !s.distances.alone {
		c.Distance = s.Distance
	}
	if !s.loops.alone {
		c.Loop = s.Loop
	}
	return c
}

// Best returns the lower values of two scales that are right by definition.
func Best(a, b Scale) Scale {
	return Scale{Distance: lower(a.Distance, b.Distance), Loop: lower(a.Loop, b.Loop)}
}

// Possible returns the scale without values that no machine has.
func (s Scale) Possible() Scale {
	if !possibleDistance(s.Distance) {
		s.Distance = 0
	}
	if !possibleLoop(s.Loop) {
		s.Loop = 0
	}
	return s
}

func possibleDistance(d float64) bool { return d > clockNoise && d < coreShared }

func possibleLoop(t float64) bool { return t >= pace.MinTime && !math.IsInf(t, 1) }

// fill makes values without measurements trusted ones.
func (s *Scale) fill() {
	if s.distances.value == 0 && s.knownDistances.value == 0 {
		s.distances = trusted(s.Distance)
	}
	if s.loops.value == 0 && s.knownLoops.value == 0 {
		s.loops = trusted(s.Loop)
	}
}

// settle derives the values from the measurements and from what runs know. What a single run knows
// does not count if other runs know what is measured.
func (s *Scale) settle() {
	s.Distance, s.Loop = s.distances.value, s.loops.value
	if !s.knownDistances.denied(s.distances, distancesAgree) {
		s.Distance = lower(s.Distance, s.knownDistances.value)
	}
	if !s.knownLoops.denied(s.loops, loopsAgree) && !(s.knownLoops.alone && !s.loops.alone && s.loops.value > slowest*s.knownLoops.value) {
		s.Loop = lower(s.Loop, s.knownLoops.value)
	}
}

// lower returns the lower of two values that are not 0.
func lower(a, b float64) float64 {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// Of returns the state of a distance.
func (s Scale) Of(distance float64) State {
	switch {
	case distance <= 0 || distance >= coreShared:
		return Unknown
	case distance < middleFrom*s.Distance:
		return Near
	case distance < farFrom*s.Distance:
		return Middle
	}
	return Far
}

// Between returns the state of samples that were taken between two measurements of the distance. An
// unknown distance is ignored.
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

// With returns the state of a pair in state in for the time of the loop on its slowest core in
// seconds; 0 = not known.
func (s Scale) With(in State, loop float64) State {
	if s.Loop > 0 && loop >= slowFrom*s.Loop {
		return in.Pair() + slowed
	}
	return in.Pair()
}

// OfPoint returns the state in which the samples of a point were taken. A point with StateShare and
// without StateDistance has the samples taken while the state changed. For a collective of more
// than two ranks the greatest distance of neighbours counts.
func (s Scale) OfPoint(p *record.Point) State {
	switch {
	case p.StateShare > 0 && p.StateDistance == 0:
		return s.With(Changing, p.Loop)
	case p.DistanceMax > 0:
		return s.With(s.Of(p.DistanceMax), p.Loop)
	case p.StateDistance > 0:
		return s.With(s.Of(p.StateDistance), p.Loop)
	}
	return s.With(s.Between(p.DistanceBefore, p.DistanceAfter), p.Loop)
}
