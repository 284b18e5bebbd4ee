package bench

import (
	"errors"
	"slices"

	"gobench/bench/stats"
)

// errNoTrial says that no event could be timed.
var errNoTrial = errors.New("no event was timed: a rank came too late for every start, or clocks differ by more than an event takes; use --start=barrier")

const (
	exactSamples = 1 << 16 // samples of a cell kept exactly; see stats.Recorder
	trialTime    = 100e-6  // seconds that a trial block should take
	blockTime    = 5e-3    // seconds that a block takes at least
	reactTime    = 100e-3  // seconds that a block takes at most, so that Ctrl-C is heard
	leadTime     = 20e-6   // seconds of events before the first sample of a block
	maxTrials    = 1000    // blocks to find the batch, where ranks keep coming too late
	minLate      = 20      // samples that ranks came too late for, before another way to start is tried
	maxChanges   = 3       // of the batch, so that two that fit equally well do not take turns
)

// sampling is the timed part of one cell.
type sampling struct {
	*conductor
	index int
	stop  Stop
	begun int64 // ns

	batch    int
	sample   float64 // typical time of a sample so far, seconds
	warmUp   int     // events dropped
	tried    int     // samples whose start was announced
	changes  int     // of the batch, after it was chosen
	summary  stats.Summary
	stopped  string
	warnings []string
}

func (c *conductor) newSampling(index int) *sampling {
	return &sampling{conductor: c, index: index, stop: c.plan.Stop.withDefaults(), begun: c.now()}
}

func (s *sampling) run() error {
	if err := s.chooseBatch(); err != nil {
		return err
	}
	if err := s.warm(); err != nil {
		return err
	}
	return s.time()
}

// chooseBatch runs single samples of growing batches until one is long
// enough to tell the time of an event, and batches accordingly.
func (s *sampling) chooseBatch() error {
	cost, resolution := s.clock()
	batch := 1
	fixed := s.plan.fixedBatch()
	if fixed > 0 {
		batch = fixed
	}
	for trials := 0; ; trials++ {
		if trials == maxTrials {
			return fail(0, errNoTrial)
		}
		if err := s.block(1, batch, 1); err != nil {
			return err
		}
		s.warmUp += batch
		s.keepAppointments()
		if len(s.times) == 0 {
			continue // a rank came too late
		}
		took := float64(s.times[0]) / 1e9
		if took >= max(trialTime, 10*resolution) || batch >= maxBatch || fixed > 0 {
			event := took / float64(batch)
			if s.batch = fixed; s.batch == 0 {
				s.batch = batchFor(cost, resolution, event)
			}
			s.sample = event * float64(s.batch)
			return nil
		}
		batch *= 4
	}
}

// clock is the dearest and coarsest clock of all ranks.
func (s *sampling) clock() (cost, resolution float64) {
	for _, f := range s.facts {
		cost = max(cost, f.Clock.Cost)
		resolution = max(resolution, f.Clock.Resolution)
	}
	return cost, resolution
}

func (s *sampling) elapsed() float64 { return float64(s.now()-s.begun) / 1e9 }

// lead is the number of untimed events at the start of a block: they absorb
// that ranks start at different times and that caches were used by the check.
func (s *sampling) lead() int {
	event := s.sample / float64(s.batch)
	if event <= 0 {
		return s.batch
	}
	return int(max(1, min(leadTime/event, 1000)))
}

// fit bounds the samples of a block by time: at least blockTime, at most
// reactTime and what is left of the budget, always one.
func (s *sampling) fit(want int) int {
	if s.sample > 0 {
		most := min(reactTime, s.stop.Budget.Seconds()-s.elapsed()) / s.sample
		want = int(max(float64(want), blockTime/s.sample))
		want = int(min(float64(want), most))
	}
	if s.stop.MaxSamples > 0 {
		want = min(want, s.stop.MaxSamples-s.samples.N())
	}
	return max(1, min(want, maxBlock))
}

// warm takes samples until the last of them have settled, or half of the
// budget is used. Those after the warm-up are good samples and count.
func (s *sampling) warm() error {
	var starts, times, local, skew []int64 // of batches of the same size
	for {
		if err := s.block(s.fit(stats.NextCheck(len(times))-len(times)), s.batch, s.lead()); err != nil {
			return err
		}
		if s.keepAppointments() {
			starts, times, local, skew = starts[:0], times[:0], local[:0], skew[:0]
			continue
		}
		late := s.elapsed() >= s.stop.Budget.Seconds()/2
		if len(s.times) == 0 && !late && !s.interrupted {
			continue
		}
		starts, times = append(starts, s.starts...), append(times, s.times...)
		local, skew = append(local, s.local...), append(skew, s.skew...)
		if s.sample = typical(s.times, s.sample); s.rebatch(len(times)) {
			starts, times, local, skew = starts[:0], times[:0], local[:0], skew[:0]
			continue
		}
		drop, settled := stats.Warmup(seconds(times))
		if !settled && !late && !s.interrupted {
			s.progress(true)
			continue
		}
		if !settled && len(times) >= 2*stats.MinSamples {
			s.warnings = append(s.warnings, "warm-up: times had not settled after half of the budget")
		}
		s.warmUp += drop * s.batch
		for i := drop; i < len(times); i++ {
			s.samples.Add(starts[i], times[i])
		}
		s.beside(starts, local, skew, drop)
		return nil
	}
}

// rebatch corrects the batch when more events show that it is too small,
// or after the first block too large: a trial may have been disturbed. The n samples
// so far are of no use then.
func (s *sampling) rebatch(n int) bool {
	event := s.sample / float64(s.batch)
	cost, resolution := s.clock()
	batch := batchFor(cost, resolution, event)
	first := n == len(s.times)
	if s.plan.fixedBatch() > 0 || batch == s.batch || batch < s.batch && !first || s.changes == maxChanges || s.elapsed() >= s.stop.Budget.Seconds()/2 {
		return false
	}
	s.changes++
	s.warmUp += n * s.batch
	s.batch = batch
	s.sample = event * float64(batch)
	return true
}

// time takes samples until the stopping rule holds, which is looked at at
// geometric distances.
func (s *sampling) time() error {
	for check := 0; ; {
		n := s.samples.N()
		s.stopped = s.ended(n)
		early := s.stop.MinTime.Seconds() - s.elapsed()
		if n >= check && (early <= 0 || s.due()) || s.stopped != "" {
			check = stats.NextCheck(n)
			s.summary = s.samples.Summary(0)
			if s.stopped == "" && early <= 0 && stats.Precise(s.summary, s.stop.Precision) {
				s.stopped = "precise"
			}
		}
		s.progress(false)
		if s.stopped != "" {
			return nil
		}
		want := check - n
		if early > 0 && s.sample > 0 {
			want = int(early/s.sample) + 1
		}
		if err := s.block(s.fit(want), s.batch, s.lead()); err != nil {
			return err
		}
		for i, t := range s.times {
			s.samples.Add(s.starts[i], t)
		}
		s.beside(s.starts, s.local, s.skew, 0)
		s.sample = typical(s.times, s.sample)
	}
}

// ended is the reason to stop regardless of precision, or "".
func (s *sampling) ended(n int) string {
	switch {
	case s.interrupted:
		return "interrupted"
	case s.stop.MaxSamples > 0 && n >= s.stop.MaxSamples:
		return "limit"
	case s.elapsed() >= s.stop.Budget.Seconds():
		return "budget"
	}
	return ""
}

// beside keeps the further times of operations, from the drop-th on.
func (s *sampling) beside(starts, local, skew []int64, drop int) {
	if !s.cell.Bench.Collective {
		return
	}
	for i := drop; i < len(local); i++ {
		s.locals.Add(starts[i], local[i])
		s.skews.Add(starts[i], skew[i])
	}
}

// typical is the median of durations, in seconds, or what it was before where
// there is none.
func typical(ns []int64, before float64) float64 {
	if len(ns) == 0 {
		return before
	}
	sorted := slices.Sorted(slices.Values(ns))
	return float64(sorted[len(sorted)/2]) / 1e9
}

func seconds(ns []int64) []float64 {
	s := make([]float64, len(ns))
	for i, t := range ns {
		s[i] = float64(t) / 1e9
	}
	return s
}
