package bench

import (
	"slices"

	"gobench/device"
	"gobench/internal/bench/state"
	"gobench/internal/collect"
	"gobench/stats"
)

// A bin holds the samples of a case that were taken in one state of the cores, in ns.
type bin struct {
	samples *stats.Recorder // of the benchmark's metric
	locals  *stats.Recorder // of collectives, parallel to samples
	skews   *stats.Recorder

	distances []float64 // measured around the blocks, seconds
	loops     []float64 // of package pace around the blocks, on the slowest rank, seconds
	time      float64   // total of the blocks, seconds
}

func (b *bin) reset() {
	b.samples.Reset()
	b.locals.Reset()
	b.skews.Reset()
	b.distances, b.loops, b.time = b.distances[:0], b.loops[:0], 0
}

// add appends the samples of another bin.
func (b *bin) add(from *bin) {
	b.samples.Merge(from.samples)
	b.locals.Merge(from.locals)
	b.skews.Merge(from.skews)
	b.distances = append(b.distances, from.distances...)
	b.loops = append(b.loops, from.loops...)
	b.time += from.time
}

// bins holds the samples of the current case by the state of the cores.
type bins struct {
	scale state.Scale
	list  [state.Count]*bin
	last  probe // measured after the previous block
	// measurable is set if rank 0 and its partner share memory but no core: then their distance is
	// measured between blocks.
	measurable bool
}

// A probe is one measurement of the cores' state, in seconds; 0 = not known.
type probe struct {
	distance float64 // between rank 0 and its partner
	loop     float64 // of package pace, on the slowest rank
}

// begin drops the samples of the previous case. The memory is reused and the scale kept.
func (b *bins) begin(before probe) {
	b.lower(before)
	b.last, b.measurable = before, b.scale.Of(before.distance) != state.Unknown
	for _, one := range b.list {
		if one == nil {
			continue
		}
		one.reset()
	}
}

// lower lowers the scale to the values of a probe, even if no second one confirms them: samples of
// two states in one bin could not be separated later. Rows and reports decide by all points of a
// machine (state.Scale).
func (b *bins) lower(p probe) {
	b.scale = state.Best(b.scale, state.Scale{Distance: p.distance, Loop: p.loop}.Possible())
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

// n returns the number of samples in all states.
func (b *bins) n() int {
	n := 0
	for _, one := range b.list {
		if one != nil {
			n += one.samples.N()
		}
	}
	return n
}

// after stores the probe that was taken after a block and returns the one before the block.
func (b *bins) after(now probe) (before probe) {
	before, b.last = b.last, now
	known := b.scale
	b.lower(now)
	if b.scale != known {
		b.rename()
	}
	return before
}

// of returns the bin that a block belongs to and adds the block's distances and time to it. A core
// that was slowed before or after the block counts as slowed.
func (b *bins) of(block blockInfo) *bin {
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

// rename moves samples to their states on the current scale: the first measured pair of cores
// counts as near until a nearer one is found, and the first core as fast until a faster one is
// found.
func (b *bins) rename() {
	for i, from := range slices.Backward(b.list[:]) { // a new scale moves samples to farther states only
		s := state.State(i)
		if from == nil || from.samples.N() == 0 {
			continue
		}
		pair := s.Pair()
		if pair != state.Changing && len(from.distances) > 0 {
			pair = b.scale.Of(stats.Median(from.distances))
		}
		if to := b.scale.With(pair, stats.Median(from.loops)); to != s {
			b.in(to).add(from)
			from.reset()
		}
	}
}

// reportable returns the states with enough samples for a point, longest first. Samples taken while
// the state changed, or while it could not be measured, are not reported, unless no other state has
// enough samples; then the state with most samples is returned.
func (b *bins) reportable() []state.State {
	var list []state.State
	largest := state.Unknown
	for s, one := range b.list {
		if one == nil || one.samples.N() == 0 {
			continue
		}
		if b.list[largest] == nil || one.samples.N() > b.list[largest].samples.N() {
			largest = state.State(s)
		}
		of := state.State(s).Pair()
		if of != state.Changing && (of != state.Unknown || !b.measurable) && one.samples.N() >= stats.MinSamples {
			list = append(list, state.State(s))
		}
	}
	if len(list) == 0 && b.list[largest] != nil && b.list[largest].samples.N() > 0 {
		return []state.State{largest}
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

// share returns the part of the time of all blocks that was spent in a state.
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

const (
	distanceFirst     = 16   // rounds of the first trial
	distanceTime      = 1e-4 // seconds of one measurement
	distanceTimes     = 10   // measurements, two of each line
	maxDistanceRounds = 2000 // rounds
)

// A distance is the core-to-core latency of a pair in seconds: the median of its lines, and the
// fastest and the slowest line. It is 0 on ranks that share no memory, and on those of no pair.
type distance struct {
	Median float64 `json:"median,omitempty"`
	Low    float64 `json:"low,omitempty"`
	High   float64 `json:"high,omitempty"`
}

// distance measures the core-to-core latency between the ranks first and partner, over that many
// lines in turn. All ranks call it. Of the measurements of one line the least counts, because
// disturbances only add time.
func (r *rank) distance(first, partner, lines, times, rounds int) (distance, error) {
	var none distance
	if times == 0 {
		return none, nil
	}
	d, ok := r.ch.(device.CoreLatencyMeter)
	if !ok {
		if d = r.plan.Pairs; d == nil {
			return none, nil
		}
	}
	var peer int
	switch r.ch.Rank() {
	case first:
		peer = partner
	case partner:
		peer = first
	default:
		return none, nil
	}
	seen := make([]float64, min(lines, times))
	for i := range times {
		line := i % len(seen)
		t, err := d.CoreLatency(peer, line, rounds)
		if err != nil {
			return none, err
		}
		if i < len(seen) || t < seen[line] {
			seen[line] = t
		}
	}
	slices.Sort(seen)
	return distance{Median: stats.Quantile(seen, 0.5), Low: seen[0], High: seen[len(seen)-1]}, nil
}

// measureDistance measures the core-to-core latency of rank 0 and its partner, in about a
// millisecond; 0 if they share no memory.
func (c *conductor) measureDistance() (distance, error) {
	return c.pairDistance(0, c.current.Bench.Pattern.partner(c.ch.Size()))
}

// Effort of a quick measurement of the distance, which takes 10 to 60 us.
const (
	quickTimes  = 3 // of one line, always the same, so that its place is no change
	quickRounds = 50
)

// probeCores measures the state of the cores between two blocks. It leaves out the distance if the
// ranks share no memory, or share a core, where even a few rounds take long.
func (c *conductor) probeCores() (now probe, err error) {
	cmd := command{Verb: verbDistance, Pace: true, Pair: [2]int{0, c.current.Bench.Pattern.partner(c.ch.Size())}}
	if c.bins.measurable {
		cmd.Lines, cmd.Samples, cmd.Rounds = 1, quickTimes, quickRounds
	}
	reports, err := c.runOnAll(cmd)
	if err != nil {
		return now, err
	}
	for _, rep := range reports {
		now.loop = max(now.loop, rep.Loop)
	}
	now.distance = reports[0].Distance.Median
	return now, nil
}

// pairDistance measures the core-to-core latency of two ranks.
func (c *conductor) pairDistance(first, partner int) (distance, error) {
	cmd := command{Verb: verbDistance, Pair: [2]int{first, partner}, Lines: 1, Samples: 1, Rounds: distanceFirst}
	reports, err := c.runOnAll(cmd)
	if err != nil {
		return distance{}, err
	}
	times, rounds := distanceEffort(reports[first].Distance.Median)
	if times == 0 {
		return reports[first].Distance, nil
	}
	cmd.Lines, cmd.Samples, cmd.Rounds = device.CoreLines, times, rounds
	if reports, err = c.runOnAll(cmd); err != nil {
		return distance{}, err
	}
	return reports[first].Distance, nil
}

// ringDistances returns the least and the greatest distance of neighbours in the ring of all ranks,
// for collectives of more than two ranks. Both are 0 if no neighbours share memory.
func (c *conductor) ringDistances() (smallest, largest float64, err error) {
	if !c.current.collective() || c.ch.Size() <= 2 {
		return 0, 0, nil
	}
	cmd := command{Verb: verbDistance, Ring: true, Lines: 1, Samples: 1, Rounds: distanceFirst}
	_, slowest, err := c.ring(cmd)
	if err != nil || slowest == 0 {
		return 0, 0, err
	}
	times, rounds := distanceEffort(slowest)
	if times == 0 { // ranks share a core, or one was preempted: each pair alone
		return c.pairDistances()
	}
	cmd.Lines, cmd.Samples, cmd.Rounds = device.CoreLines, times, rounds
	return c.ring(cmd)
}

// ring runs a command that measures all neighbours.
func (c *conductor) ring(cmd command) (smallest, largest float64, err error) {
	reports, err := c.runOnAll(cmd)
	if err != nil {
		return 0, 0, err
	}
	smallest, largest = extremes(collect.Each(reports, func(rep report) float64 { return rep.Distance.Median }))
	return smallest, largest, nil
}

// pairDistances is ringDistances with one pair after the other.
func (c *conductor) pairDistances() (smallest, largest float64, err error) {
	ring := make([]float64, c.ch.Size())
	for first := range ring {
		d, err := c.pairDistance(first, (first+1)%len(ring))
		if err != nil {
			return 0, 0, err
		}
		ring[first] = d.Median
	}
	smallest, largest = extremes(ring)
	return smallest, largest, nil
}

// extremes returns the least and the greatest of the measured distances; 0 = not measured.
func extremes(distances []float64) (smallest, largest float64) {
	for _, d := range distances {
		if d > 0 && (smallest == 0 || d < smallest) {
			smallest = d
		}
		largest = max(largest, d)
	}
	return smallest, largest
}

// ringDistance measures the distance to the next rank in the ring. All ranks call it. The pairs of
// a turn have no rank in common and measure at the same time.
func (r *rank) ringDistance(lines, times, rounds int) (next distance, err error) {
	me, ranks := r.ch.Rank(), r.ch.Size()
	for turn := range ringTurns {
		for _, first := range []int{me, (me + ranks - 1) % ranks} {
			if ringTurn(first, ranks) != turn {
				continue
			}
			d, err := r.distance(first, (first+1)%ranks, lines, times, rounds)
			if err != nil {
				return next, err
			}
			if first == me {
				next = d
			}
		}
	}
	return next, nil
}

// ringTurns is the number of turns in which all pairs of a ring can be measured.
const ringTurns = 3

// ringTurn returns the turn of a rank and the next one: even ranks, odd ones, and the last one
// where the rank after it is even, too.
func ringTurn(first, ranks int) int {
	if first == ranks-1 && ranks%2 == 1 {
		return ringTurns - 1
	}
	return first % 2
}

// distanceEffort returns the number of measurements, and the number of rounds of each, that take
// about a millisecond together. half is the one-way time of a trial in seconds. times is 0 if there
// is nothing to measure, or if the ranks share a core and even a few rounds take longer.
func distanceEffort(half float64) (times, rounds int) {
	if half <= 0 || 2*half*distanceFirst > distanceTime*distanceTimes {
		return 0, 0
	}
	rounds = int(max(distanceFirst, min(distanceTime/(2*half), maxDistanceRounds)))
	times = int(distanceTime * distanceTimes / (2 * half * float64(rounds)))
	return max(1, min(times, distanceTimes)), rounds
}
