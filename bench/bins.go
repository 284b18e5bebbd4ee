package bench

import (
	"slices"

	"gobench/bench/state"
	"gobench/bench/stats"
)

// bin has the samples of a cell that were taken in one state of the cores, in ns.
type bin struct {
	samples *stats.Recorder // of the time that the benchmark is about
	locals  *stats.Recorder // of operations, beside samples
	skews   *stats.Recorder

	distances []float64 // around its blocks, seconds
	loops     []float64 // of package pace around its blocks, the slowest rank's, seconds
	time      float64   // of its blocks, seconds
}

// bins are the samples of the current cell by the state of the cores.
type bins struct {
	scale state.Scale
	list  [state.Count]*bin
	last  float64 // distance after the block before, seconds; 0 = not known
	loop  float64 // of package pace after the block before
}

// reset forgets the samples and keeps the memory and the scale.
func (b *bins) reset() {
	b.last, b.loop = 0, 0
	for _, one := range b.list {
		if one == nil {
			continue
		}
		one.samples.Reset()
		one.locals.Reset()
		one.skews.Reset()
		one.distances, one.loops, one.time = one.distances[:0], one.loops[:0], 0
	}
}

// in returns the bin of a state.
func (b *bins) in(s state.State) *bin {
	if b.list[s] == nil {
		b.list[s] = &bin{
			samples: stats.NewRecorder(exactSamples), locals: stats.NewRecorder(exactSamples), skews: stats.NewRecorder(exactSamples),
		}
	}
	return b.list[s]
}

// n is the number of samples in all states.
func (b *bins) n() int {
	n := 0
	for _, one := range b.list {
		if one != nil {
			n += one.samples.N()
		}
	}
	return n
}

// after takes the distance and the time of the loop after a block, in seconds, and returns the
// state in which the block was timed, with those around it. A core that was slowed before or after
// it was slowed.
func (b *bins) after(distance, loop float64) (in state.State, seen, slowest float64) {
	before, slowest := b.last, max(b.loop, loop)
	b.last, b.loop = distance, loop
	b.scale.Note(distance)
	b.scale.NoteLoop(loop)
	if before == 0 {
		before = distance
	}
	return b.scale.With(b.scale.Between(before, distance), slowest), (before + distance) / 2, slowest
}

// kept are the states that have samples enough for a point, the one with most time first.
// Samples that were taken while the state changed belong to none; where no other state has
// enough, that with most samples is kept.
func (b *bins) kept() []state.State {
	var list []state.State
	most := state.Unknown
	for s, one := range b.list {
		if one == nil || one.samples.N() == 0 {
			continue
		}
		if b.list[most] == nil || one.samples.N() > b.list[most].samples.N() {
			most = state.State(s)
		}
		if state.State(s).Pair() != state.Changing && one.samples.N() >= stats.MinSamples {
			list = append(list, state.State(s))
		}
	}
	if len(list) == 0 && b.list[most] != nil && b.list[most].samples.N() > 0 {
		return []state.State{most}
	}
	slices.SortFunc(list, func(x, y state.State) int {
		switch {
		case b.list[x].time > b.list[y].time:
			return -1
		case b.list[x].time < b.list[y].time:
			return 1
		}
		return 0
	})
	return list
}

// share is the part of the time of all blocks that was spent in a state.
func (b *bins) share(s state.State) float64 {
	all := 0.0
	for _, one := range b.list {
		if one != nil {
			all += one.time
		}
	}
	if all == 0 {
		return 0
	}
	return b.list[s].time / all
}

// middle is the median of values, 0 if there are none.
func middle(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
