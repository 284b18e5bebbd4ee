package bench

import (
	"errors"

	"gobench/bench/record"
	"gobench/bench/stats"
)

// Overlapper is the ability of the Op of a benchmark with Overlap: a non-blocking
// operation behind which computation can be hidden.
type Overlapper interface {
	// Overlap runs k events. Each is started, then work is done (Work.Do, or all of Work.Part), then it is
	// waited for. What holds for Op.Do holds here.
	Overlap(k int, work *Work) error
}

// phase is what the events of a block are, in cells with overlap.
type phase int

const (
	phaseEvent   phase = iota // the operation
	phaseCompute              // computation that takes as long
	phaseOverlap              // the operation and the computation
	phases
)

// errNoOverlap says that a benchmark does not do what it declares.
var errNoOverlap = errors.New("the benchmark declares overlap and its operation has none")

// computing is an Op that only computes.
type computing struct{ work *Work }

func (c computing) Do(k int) error {
	for range k {
		c.work.Do()
	}
	return nil
}

// overlapping runs the events of a rotation with work.
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

// makeWork prepares the phases for operations that take so many seconds.
func (r *rank) makeWork(seconds float64) report {
	if _, ok := r.op.units[0].op.(Overlapper); !ok {
		return report{Failure: errNoOverlap.Error()}
	}
	var spend func(int64)
	if k, ok := r.ch.(Timekeeper); ok {
		spend = k.Compute
	}
	work := newWork(seconds*1e9, r.now, spend)
	r.phases = [phases]Op{r.op, computing{work}, overlapping{r.op, work}}
	return report{}
}

const (
	overlapRounds = 6  // at least: so many give an interval
	overlapMost   = 50 // blocks of each phase
)

// overlap are the times of the phases and what they say.
type overlap struct {
	times  [phases]*stats.Recorder // ns, local
	ratios []float64               // of each round
}

// measureOverlap times the operation, computation as long, and both at once, in turn: a
// change of the machine hits all three. It uses half of the cell's budget at most, beyond
// six blocks of each.
func (s *sampling) measureOverlap() (*overlap, error) {
	o := &overlap{}
	for i := range o.times {
		o.times[i] = stats.NewRecorder(exactSamples)
	}
	begin := s.now()
	samples := int(max(1, min(blockTime/(2*s.sample), float64(maxBlock))))
	if err := s.phaseBlock(phaseEvent, samples); err != nil { // to see how much work is as long
		return nil, err
	}
	if _, err := s.do(command{Verb: verbWork, Work: typical(s.local, s.sample) / float64(s.batch)}); err != nil {
		return nil, err
	}
	for len(o.ratios) < overlapMost && !s.interrupted {
		spent := float64(s.now()-begin) / 1e9
		if len(o.ratios) >= overlapRounds && spent > s.stop.Budget.Seconds()/2 {
			break
		}
		var round [phases]float64
		for p := range phases {
			if err := s.phaseBlock(p, samples); err != nil {
				return nil, err
			}
			for i, t := range s.local {
				o.times[p].Add(s.starts[i], t)
			}
			round[p] = typical(s.local, round[p])
		}
		o.ratios = append(o.ratios, hidden(round))
	}
	return o, nil
}

// phaseBlock is a block of a phase. A spoiled phase is checked as any block is.
func (s *sampling) phaseBlock(p phase, samples int) error {
	first, start := s.pattern, s.conductor.start
	if start == StartTime {
		start = StartBarrier // local times need no more, and nobody is too late for it
	}
	s.pattern += 2
	_, err := s.do(command{Verb: verbBlock, Start: start, Phase: p, Samples: samples, Batch: s.batch, Lead: 1, First: first})
	s.subtractClock(s.local)
	return err
}

// hidden is the share of the shorter one of t_pure and t_compute that is hidden, as
// IMB-NBC reckons it: more cannot be.
func hidden(t [phases]float64) float64 {
	shorter := min(t[phaseEvent], t[phaseCompute])
	if shorter <= 0 {
		return 0
	}
	return max(0, min(1, (t[phaseEvent]+t[phaseCompute]-t[phaseOverlap])/shorter))
}

// record adds the metrics of IMB-NBC to a point. The times of a round follow each other, so
// the ratio is that of each round and has an interval.
func (o *overlap) record(p *record.Point, scale float64, batched bool) {
	if len(o.ratios) == 0 {
		return // interrupted
	}
	for i, t := range o.times {
		p.Metrics[[...]string{"pure_s", "compute_s", "overlapped_s"}[i]] = record.Times(t.Summary(0).Scale(scale).Widen(p.Floor), batched)
	}
	p.Metrics["overlap_ratio"] = skewValue(stats.Launches(o.ratios), true) // it may be zero
}
