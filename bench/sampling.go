package bench

import (
	"errors"
	"fmt"
	"slices"

	"gobench/bench/stats"
)

// errNoTrial says that no event could be timed.
var errNoTrial = errors.New("no event was timed: a rank came too late for every start, or clocks differ by more than an event takes; use --start=barrier")

const (
	exactSamples = 1 << 16 // samples of a cell and state kept exactly; see stats.Recorder
	blockTime    = 3e-3    // seconds that a block takes: cores that move are noticed between blocks
	reactTime    = 100e-3  // seconds that a block takes at most, so that Ctrl-C is heard
	leadTime     = 20e-6   // seconds of events before the first sample of a block
	maxTrials    = 1000    // blocks to find the time of an event, where ranks keep coming too late
	minLate      = 20      // samples that ranks came too late for, before another way to start is tried
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
	if err := s.warm(); err != nil {
		return err
	}
	return s.time()
}

// trial times one sample, to know how many samples a block has room for.
func (s *sampling) trial() error {
	for range maxTrials {
		if err := s.block(1, s.batch, 1); err != nil {
			return err
		}
		s.warmUp += s.batch
		s.keepAppointments()
		if len(s.times) > 0 {
			s.sample = typical(s.times, 0)
			return nil
		}
		// A rank came too late.
	}
	return fail(0, errNoTrial)
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

// fit is the number of samples of the next block: those of blockTime, as many as are left of the
// budget and of the samples that were asked for, at least one.
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

// taken are the samples of one block or several.
type taken struct {
	starts, times, local, skew []int64
	blocks                     []around
}

// around is what is known of the cores around a block of so many samples.
type around struct {
	samples       int
	before, after look
	time          float64 // of the block, seconds
}

func (t *taken) reset() {
	t.starts, t.times, t.local, t.skew, t.blocks = t.starts[:0], t.times[:0], t.local[:0], t.skew[:0], t.blocks[:0]
}

// take times a block, and looks at the cores after it.
func (s *sampling) take(t *taken, samples int) error {
	begin := s.now()
	if err := s.block(samples, s.batch, s.lead()); err != nil {
		return err
	}
	spent := float64(s.now()-begin) / 1e9
	now, err := s.look()
	if err != nil {
		return err
	}
	before := s.bins.after(now)
	s.sample = typical(s.times, s.sample)
	t.starts, t.times = append(t.starts, s.starts...), append(t.times, s.times...)
	t.blocks = append(t.blocks, around{len(s.times), before, now, spent})
	if s.cell.Bench.Collective {
		t.local, t.skew = append(t.local, s.local...), append(t.skew, s.skew...)
	}
	return nil
}

// keep puts samples into the bins of their states, from the drop-th on, no more than were asked
// for.
func (s *sampling) keep(t *taken, drop int) {
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

// warm takes samples until the last of them have settled, or half of the budget is used, or so
// many events have passed as were asked for. Those after the warm-up are good samples and count.
func (s *sampling) warm() error {
	var t taken
	for {
		if err := s.take(&t, s.fit()); err != nil {
			return err
		}
		if s.keepAppointments() {
			t.reset()
			continue
		}
		late := s.elapsed() >= s.stop.Budget.Seconds()/2
		if len(t.times) == 0 && !late && !s.interrupted {
			continue
		}
		drop, settled := s.settled(t.times)
		if !settled && !late && !s.interrupted {
			s.progress(true)
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

// settled returns how many samples belong to the warm-up, and whether it is over.
func (s *sampling) settled(times []int64) (drop int, settled bool) {
	if s.stop.WarmUp == 0 {
		return stats.Warmup(seconds(times))
	}
	drop = (s.stop.WarmUp + s.batch - 1) / s.batch
	return min(drop, len(times)), len(times) > drop
}

// time takes samples until the cell ends.
func (s *sampling) time() error {
	var t taken
	for {
		s.stopped = s.ended()
		s.progress(false)
		if s.stopped != "" {
			return nil
		}
		t.reset()
		if err := s.take(&t, s.fit()); err != nil {
			return err
		}
		s.keep(&t, 0)
	}
}

// ended is the reason to end the cell, or "".
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
