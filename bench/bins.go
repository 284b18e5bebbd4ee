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

func (b *bin) reset() {
	b.samples.Reset()
	b.locals.Reset()
	b.skews.Reset()
	b.distances, b.loops, b.time = b.distances[:0], b.loops[:0], 0
}

// add takes over what another bin has, of more samples than are kept exactly only those.
func (b *bin) add(from *bin) {
	for _, r := range []struct{ to, from *stats.Recorder }{
		{b.samples, from.samples}, {b.locals, from.locals}, {b.skews, from.skews},
	} {
		starts := r.from.Starts()
		for i, t := range r.from.Times() {
			r.to.Add(starts[i], t)
		}
	}
	b.distances = append(b.distances, from.distances...)
	b.loops = append(b.loops, from.loops...)
	b.time += from.time
}

// bins are the samples of the current cell by the state of the cores.
type bins struct {
	scale state.Scale
	list  [state.Count]*bin
	last  look // after the block before
	apart bool // the ranks share memory and no core: their distance is measured between blocks
}

// look is the state of the cores at one time, in seconds; 0 is not known.
type look struct {
	distance float64 // of rank 0 and its partner
	loop     float64 // of package pace on the slowest rank
}

// begin forgets the samples of the cell before, and keeps the memory and the scale.
func (b *bins) begin(before look) {
	b.scale.Note(before.distance)
	b.scale.NoteLoop(before.loop)
	b.last, b.apart = before, b.scale.Of(before.distance) != state.Unknown
	for _, one := range b.list {
		if one == nil {
			continue
		}
		one.reset()
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

// after takes the look after a block, and returns that before it.
func (b *bins) after(now look) (before look) {
	before, b.last = b.last, now
	known := b.scale
	b.scale.Note(now.distance)
	b.scale.NoteLoop(now.loop)
	if b.scale != known {
		b.rename()
	}
	return before
}

// of returns the bin that a block belongs to, and notes the block there. A core that was slowed
// before or after it was slowed.
func (b *bins) of(block around) *bin {
	loop := max(block.before.loop, block.after.loop)
	one := b.in(b.scale.With(b.scale.Between(block.before.distance, block.after.distance), loop))
	one.time += block.time
	for _, d := range []float64{block.before.distance, block.after.distance} {
		if b.scale.Of(d) != state.Unknown {
			one.distances = append(one.distances, d)
		}
	}
	if loop > 0 {
		one.loops = append(one.loops, loop)
	}
	return one
}

// rename moves samples to the state in which they are by now: the first pair of cores that a
// program sees is near, until a nearer one is seen, and the first core fast.
func (b *bins) rename() {
	for i, from := range slices.Backward(b.list[:]) { // what is nearer becomes farther only
		s := state.State(i)
		if from == nil || from.samples.N() == 0 {
			continue
		}
		pair := s.Pair()
		if pair != state.Changing && len(from.distances) > 0 {
			pair = b.scale.Of(middle(from.distances))
		}
		if to := b.scale.With(pair, middle(from.loops)); to != s {
			b.in(to).add(from)
			from.reset()
		}
	}
}

// kept are the states that have samples enough for a point, the one with most time first.
// Samples that were taken while the state changed, or where a measurement of it failed, belong to
// none; where no other state has enough, that with most samples is kept.
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
		of := state.State(s).Pair()
		if of != state.Changing && (of != state.Unknown || !b.apart) && one.samples.N() >= stats.MinSamples {
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
