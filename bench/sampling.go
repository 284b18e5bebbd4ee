package bench

import (
	"fmt"

	"gobench/stats"
)

const (
	exactSamples = 1 << 16 // samples of a cell and state kept exactly; see stats.Recorder
	blockTime    = 3e-3    // length of a block in seconds: moving cores are noticed between blocks
	reactTime    = 100e-3  // longest block in seconds, so that Ctrl-C is handled in time
	leadTime     = 20e-6   // seconds of untimed events before the first sample of a block
	maxTrials    = 1000    // attempts to time one event, if ranks keep missing the start
	minLate      = 20      // missed starts before events start after a barrier instead
)

// sampling is the timed part of one case.
type sampling struct {
	*conductor
	index int
	stop  Stop
	begun int64 // ns

	batch    int
	sample   float64 // typical time of a sample so far, seconds
	warmUp   int     // events dropped
	tried    int     // samples with an announced start
	missed   int     // such samples for which a rank was late, of starts given up
	stopped  string
	warnings []string
}

func (c *conductor) newSampling(index int) *sampling {
	return &sampling{conductor: c, index: index, stop: c.plan.Stop.withDefaults(), begun: c.now(), batch: c.batch()}
}

func (s *sampling) run() error {
	if err := s.trial(); err != nil {
		return err
	}
	enough := s.sample >= s.stop.Budget.Seconds() || s.stop.MaxSamples == 1
	if s.sample >= reactTime && enough && s.stop.WarmUp <= 1 {
		return s.keepTrial()
	}
	if err := s.warm(); err != nil {
		return err
	}
	return s.time()
}

// trial times one sample. Its time determines the number of samples of a block.
func (s *sampling) trial() error {
	for range maxTrials {
		if err := s.block(1, s.batch, 1); err != nil {
			return err
		}
		s.warmUp += s.batch
		s.adaptStart()
		if len(s.times) > 0 {
			s.sample = medianSeconds(s.times, 0)
			return nil
		}
		// a rank missed the start
	}
	return abortFor(0, errNoTrial)
}

// keepTrial ends a case of which one sample takes the whole budget, or of which one is asked for
// and takes long: that of the trial is kept. It has an event before it, which is the warm-up.
func (s *sampling) keepTrial() error {
	now, err := s.probeCores()
	if err != nil {
		return err
	}
	var t blockSamples
	t.add(s, blockInfo{len(s.times), s.bins.after(now), now, s.elapsed()})
	s.keep(&t, 0)
	if s.stopped = s.ended(); s.stopped == "" {
		s.stopped = "budget"
	}
	return nil
}

func (s *sampling) elapsed() float64 { return float64(s.now()-s.begun) / 1e9 }

// lead returns the number of untimed events at the start of a block. They absorb differences
// between the ranks' starts, and restore the caches after the data check.
func (s *sampling) lead() int {
	event := s.sample / float64(s.batch)
	if event <= 0 {
		return s.batch
	}
	return int(max(1, min(leadTime/event, 1000)))
}

// fit returns the number of samples of the next block: as many as take blockTime, bounded by the
// remaining budget and the remaining requested samples, but at least stats.MinSamples if these take
// less than reactTime, and at least one.
func (s *sampling) fit() int {
	want := maxBlock
	if s.sample > 0 {
		left := s.stop.Budget.Seconds() - s.elapsed()
		want = int(min(float64(maxBlock), min(blockTime, left)/s.sample))
		want = min(max(want, stats.MinSamples), int(min(float64(maxBlock), reactTime/s.sample)))
	}
	if s.stop.MaxSamples > 0 {
		want = min(want, s.stop.MaxSamples-s.bins.n())
	}
	return max(1, min(want, maxBlock))
}

// blockSamples holds the samples of one or more blocks.
type blockSamples struct {
	starts, times, local, skew []int64
	blocks                     []blockInfo
}

// blockInfo describes the state of the cores before and after a block.
type blockInfo struct {
	samples       int
	before, after probe
	time          float64 // of the block, seconds
}

func (t *blockSamples) reset() {
	t.starts, t.times, t.local, t.skew, t.blocks = t.starts[:0], t.times[:0], t.local[:0], t.skew[:0], t.blocks[:0]
}

// take times a block and then probes the cores.
func (s *sampling) take(t *blockSamples, samples int) error {
	begin := s.now()
	if err := s.block(samples, s.batch, s.lead()); err != nil {
		return err
	}
	spent := float64(s.now()-begin) / 1e9
	now, err := s.probeCores()
	if err != nil {
		return err
	}
	before := s.bins.after(now)
	s.sample = medianSeconds(s.times, s.sample)
	t.add(s, blockInfo{len(s.times), before, now, spent})
	return nil
}

// add appends the samples of the last block.
func (t *blockSamples) add(s *sampling, block blockInfo) {
	t.starts, t.times = append(t.starts, s.starts...), append(t.times, s.times...)
	t.blocks = append(t.blocks, block)
	if s.current.collective() {
		t.local, t.skew = append(t.local, s.local...), append(t.skew, s.skew...)
	}
}

// keep adds the samples from the drop-th on to the bins of their states, up to the requested
// number.
func (s *sampling) keep(t *blockSamples, drop int) {
	room := len(t.times)
	if s.stop.MaxSamples > 0 {
		room = s.stop.MaxSamples - s.bins.n()
	}
	i := 0
	for _, block := range t.blocks {
		b := s.bins.of(block)
		for end := i + block.samples; i < end; i++ {
			if i < drop || i >= drop+room {
				continue
			}
			b.samples.Add(t.starts[i], t.times[i])
			if i < len(t.local) {
				b.locals.Add(t.starts[i], t.local[i])
				b.skews.Add(t.starts[i], t.skew[i])
			}
		}
	}
}

// warm takes samples until their times have settled, half of the budget is used, or the requested
// number of warm-up events has run. Samples after the warm-up are valid and kept.
func (s *sampling) warm() error {
	var t blockSamples
	for {
		if err := s.take(&t, s.fit()); err != nil {
			return err
		}
		if s.adaptStart() {
			t.reset()
			continue
		}
		late := s.elapsed() >= s.stop.Budget.Seconds()/2
		if len(t.times) == 0 && !late && !s.interrupted {
			continue
		}
		drop, settled := s.settled(t.times)
		if !settled && !late && !s.interrupted {
			if err := s.progress(true); err != nil {
				return err
			}
			continue
		}
		switch {
		case settled:
		case s.stop.WarmUp > 0:
			s.warnings = append(s.warnings, fmt.Sprintf("warm-up: half of the budget was used after %d of %d events", drop*s.batch, s.stop.WarmUp))
		case len(t.times) >= 2*stats.MinSamples:
			s.warnings = append(s.warnings, "warm-up: times had not settled after half of the budget")
		}
		s.warmUp += drop * s.batch
		s.keep(&t, drop)
		return nil
	}
}

// settled returns how many samples belong to the warm-up, and whether the warm-up is over.
func (s *sampling) settled(times []int64) (drop int, settled bool) {
	if s.stop.WarmUp == 0 {
		return stats.Warmup(seconds(times))
	}
	drop = (s.stop.WarmUp + s.batch - 1) / s.batch
	return min(drop, len(times)), len(times) > drop
}

// time takes samples until ended returns a reason, at least one block if the warm-up left none.
func (s *sampling) time() error {
	var t blockSamples
	for first := true; ; first = false {
		s.stopped = s.ended()
		if err := s.progress(false); err != nil {
			return err
		}
		if lacking := first && s.bins.n() == 0 && !s.interrupted; s.stopped != "" && !lacking {
			return nil
		}
		t.reset()
		if err := s.take(&t, s.fit()); err != nil {
			return err
		}
		s.keep(&t, 0)
	}
}

// ended returns the reason to end the case, or "".
func (s *sampling) ended() string {
	switch {
	case s.interrupted:
		return "interrupted"
	case s.stop.MaxSamples > 0 && s.bins.n() >= s.stop.MaxSamples:
		return "limit"
	case s.elapsed() >= s.stop.Budget.Seconds():
		return "budget"
	}
	return ""
}

// medianSeconds returns the median of durations in seconds, or before if there are none.
func medianSeconds(ns []int64, before float64) float64 {
	if len(ns) == 0 {
		return before
	}
	return stats.Median(seconds(ns))
}

func seconds(ns []int64) []float64 {
	s := make([]float64, len(ns))
	for i, t := range ns {
		s[i] = float64(t) / 1e9
	}
	return s
}

// clockShare is the share of a sample that one clock reading may cost without a warning (rule 1).
// The mean cost is subtracted; its variation remains.
const clockShare = 0.05

// maxBatch is the largest number of events timed together.
const maxBatch = 1 << 16

// Events timed together over a fast transport, by message size. A message that takes less than a
// microsecond is not much longer than the resolution of the clock.
const (
	smallTogether, smallSize   = 16, 1 << 10
	mediumTogether, mediumSize = 4, 8 << 10
)

// batch returns the number of events of a case that are timed together. By default it depends on
// the benchmark, the size and the kind of transport only. So it is the same for all algorithms,
// launches and programs, and their times are comparable. It must not depend on a trial measurement:
// times of collectives would then differ by a factor of 2 to 13 between launches.
//
// Events may be timed together only if each depends on the previous one, or if the benchmark is
// defined as a loop (IMB's point-to-point patterns). Repeated rooted collectives overlap each
// other: k operations take less than k times the time of one. Such operations are timed one by one;
// back to back they have another metric, throughput_Ops.
func (c *conductor) batch() int {
	b := c.current.Bench
	loop := !b.Window && (b.Collective == nil || b.Collective.Chained || c.plan.Start == StartNone)
	switch {
	case c.plan.Skew.Kind != SkewNone:
		return 1 // the skew applies to the first event of a batch only
	case c.plan.Batch > 0:
		return c.plan.Batch
	case !loop || !c.ch.Info().Quick || c.current.Size > mediumSize:
		return 1
	case c.current.Size > smallSize:
		return mediumTogether
	}
	return smallTogether
}

// maxLead bounds the time in ns from the announcement of a start to the start. A rank that needs
// more time was descheduled; a longer lead would not help.
const maxLead = 200e3

// adaptStart adjusts how collective events are started after a block was timed. If more than
// maxInvalid of the samples were late, it doubles the lead of announcements. If Plan.Start is
// StartAuto and most announced starts were missed (because other programs use the cores), it
// selects a barrier as the start and returns true; the samples so far must then be dropped.
func (s *sampling) adaptStart() (changed bool) {
	if !s.announcesStart() {
		return false
	}
	tried := len(s.spans.late)
	if late := tried - len(s.times); float64(late) > maxInvalid*float64(tried) {
		s.gate.lead = max(s.gate.lead, min(2*s.gate.lead, maxLead))
	}
	s.tried += tried
	if s.plan.Start != StartAuto || s.invalid < minLate || 2*s.invalid < s.tried {
		return false
	}
	s.useBarrier(s.tried)
	return true
}

// announcesStart reports whether the events of the current case start at an announced time.
func (c *conductor) announcesStart() bool { return c.current.collective() && c.start == StartTime }

// useBarrier switches from announced starts to a barrier, after tried announcements.
func (s *sampling) useBarrier(tried int) {
	s.warnings = append(s.warnings, fmt.Sprintf("ranks came too late for %d of %d announced starts: events start behind a barrier instead", s.invalid, tried))
	s.conductor.start, s.missed, s.invalid = StartBarrier, s.invalid, 0
}

// progressEvery is the least time between progress reports, in ns.
const progressEvery = 50e6

func (s *sampling) due() bool { return s.now()-s.shown >= progressEvery }

// progress reports to the sink, at most once every progressEvery.
func (s *sampling) progress(warmUp bool) error {
	if !s.due() {
		return nil
	}
	s.shown = s.now()
	b := s.current.Bench
	p := Progress{
		Case: s.index, Cases: len(s.plan.Cases), Bench: b.Name, Size: s.current.Size,
		WarmUp: warmUp, N: s.bins.n(), Metric: s.metric(), Elapsed: s.elapsed(),
		Median: s.sample * b.Scale / float64(s.batch),
	}
	return s.sinkError(s.sink.Event(Event{Progress: &p}))
}
