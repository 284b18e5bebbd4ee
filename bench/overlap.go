package bench

import (
	"errors"
	"math"

	"gobench/internal/bench/clock"
	"gobench/record"
	"gobench/stats"
)

// OverlapFormula defines the metrics of a benchmark with Overlap for readers.
const OverlapFormula = "pure = started and waited for; compute = a computation of the same length; overlapped = the computation between start and wait; overlap = (pure + compute - overlapped) / min(pure, compute)"

// A phase is the kind of the events of a block, in cases with overlap.
type phase int

const (
	phaseEvent   phase = iota // the operation alone
	phaseCompute              // a computation that takes as long
	phaseOverlap              // the operation overlapped with the computation
	phases
)

// errNoOverlap reports a benchmark with Overlap whose Op is not an Overlapper.
var errNoOverlap = errors.New("the benchmark measures overlap, but its operation does not support it")

// computing is an Op that only computes.
type computing struct{ work *Work }

func (c computing) Do(k int) error {
	for range k {
		c.work.Do()
	}
	return nil
}

// overlapping runs the events of a rotation overlapped with work.
type overlapping struct {
	rotation *rotation
	work     *Work
}

func (o overlapping) Do(k int) error {
	r := o.rotation
	for range k {
		if err := r.units[r.next].op.(Overlapper).Overlap(1, o.work); err != nil {
			return err
		}
		r.advance()
	}
	return nil
}

// prepareWork sets up the phases for operations that take the given time.
func (r *rank) prepareWork(seconds float64) report {
	if _, ok := r.op.units[0].op.(Overlapper); !ok {
		return report{Failure: errNoOverlap.Error()}
	}
	var spend func(int64)
	if k, ok := r.ch.(clock.Keeper); ok {
		spend = k.Compute
	}
	work := newWork(seconds*1e9, r.now, spend)
	r.phases = [phases]Op{r.op, computing{work}, overlapping{r.op, work}}
	return report{}
}

const (
	overlapRounds    = 6  // minimum for an interval
	maxOverlapBlocks = 50 // blocks of each phase
)

// overlap holds the times of the phases and the overlap ratios.
type overlap struct {
	times  [phases]*stats.Recorder // ns, of collectives local
	ratios []float64               // of each round
}

// measureOverlap times blocks of the operation, of a computation of equal length, and of both
// overlapped, in turn, so that a change of the machine affects all three. After overlapRounds
// rounds it stops when half of the case's budget is used.
func (s *sampling) measureOverlap() (*overlap, error) {
	o := &overlap{}
	for i := range o.times {
		o.times[i] = stats.NewRecorder(exactSamples)
	}
	begin := s.now()
	samples := int(max(1, min(blockTime/(2*s.sample), float64(maxBlock))))
	if err := s.phaseBlock(phaseEvent, samples); err != nil { // determines the length of the work
		return nil, err
	}
	if _, err := s.runOnAll(command{Verb: verbWork, Work: medianSeconds(s.own(), s.sample) / float64(s.batch)}); err != nil {
		return nil, err
	}
	for len(o.ratios) < maxOverlapBlocks && !s.interrupted {
		spent := float64(s.now()-begin) / 1e9
		if len(o.ratios) >= overlapRounds && spent > s.stop.Budget.Seconds()/2 {
			break
		}
		var round [phases]float64
		for p := range phases {
			if err := s.phaseBlock(p, samples); err != nil {
				return nil, err
			}
			for i, t := range s.own() {
				o.times[p].Add(s.starts[i], t)
			}
			round[p] = medianSeconds(s.own(), round[p])
		}
		o.ratios = append(o.ratios, overlapRatio(round))
	}
	return o, nil
}

// phaseBlock times a block of one phase and checks its data, as for any block.
func (s *sampling) phaseBlock(p phase, samples int) error {
	first, start := s.pattern, s.conductor.start
	if start == StartTime {
		start = StartBarrier // local times need no common start
	}
	s.pattern += 2
	_, err := s.runOnAll(command{Verb: verbBlock, Start: start, Phase: p, Samples: samples, Batch: s.batch, Lead: 1, First: first})
	s.subtractClock(s.own())
	return err
}

// own returns the times of a block that need no common clock.
func (s *sampling) own() []int64 {
	if s.current.collective() {
		return s.local
	}
	return s.times
}

// overlapRatio returns the overlapped share of the shorter of operation and computation, as IMB-NBC
// computes it.
func overlapRatio(t [phases]float64) float64 {
	shorter := min(t[phaseEvent], t[phaseCompute])
	if shorter <= 0 {
		return 0
	}
	return max(0, min(1, (t[phaseEvent]+t[phaseCompute]-t[phaseOverlap])/shorter))
}

// record adds the metrics of IMB-NBC to a point. The phases of a round are measured one after the
// other, so the ratio is computed per round and has an interval.
func (o *overlap) record(p *record.Point, scale float64, batched bool) {
	if len(o.ratios) == 0 {
		return // interrupted
	}
	for i, t := range o.times {
		p.Metrics.Set([...]string{"pure_s", "compute_s", "overlapped_s"}[i], record.Times(t.Summary(0).Scale(scale).Widen(p.Floor), batched))
	}
	p.Metrics.Set("overlap_ratio", skewValue(stats.Launches(o.ratios).CappedAt(1), true)) // may be zero
}

// Work is a computation on registers that takes a given time when undisturbed. It has a fixed
// number of steps, so that disturbances lengthen it, as in IMB-NBC.
type Work struct {
	steps int
	state uint64
	spend func(ns int64) // advances a simulated clock instead of computing
	time  int64          // ns
}

// Do computes.
func (w *Work) Do() { w.Part(0, 1) }

// Part computes the part-th of parts equal parts, from 0. An Overlapper may test its operations
// between them.
func (w *Work) Part(part, parts int) {
	w.compute(share(w.steps, part, parts))
	if w.spend != nil {
		w.spend(int64(share(int(w.time), part, parts)))
	}
}

// share returns the part-th of parts parts of n. The parts add up to n.
func share(n, part, parts int) int { return n*(part+1)/parts - n*part/parts }

// compute runs steps that each depend on the one before.
func (w *Work) compute(steps int) {
	x := w.state
	for range steps {
		x = x*6364136223846793005 + 1442695040888963407 // Knuth's MMIX generator
	}
	w.state = x
}

const (
	workTrial    = 200e3   // minimum time of a trial, ns
	maxWorkSteps = 1 << 40 // steps
)

// newWork returns work that takes ns nanoseconds on this thread. It uses the fastest of some
// trials, because disturbed trials would make the work too short.
func newWork(ns float64, now func() int64, spend func(ns int64)) *Work {
	w := &Work{spend: spend, time: int64(math.Round(ns))}
	if spend != nil {
		return w
	}
	fastest := math.Inf(1) // ns per step
	steps := 1 << 12
	for trials := 0; trials < 5; {
		begin := now()
		w.compute(steps)
		took := float64(now() - begin)
		if took < workTrial && steps < maxWorkSteps {
			steps *= 2
			continue
		}
		fastest = min(fastest, took/float64(steps))
		trials++
	}
	w.steps = int(min(ns/fastest, maxWorkSteps))
	return w
}
