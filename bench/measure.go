package bench

import (
	"time"

	"gobench/bench/stats"
)

// outcome is what measuring a cell found, before it becomes a record.Point.
type outcome struct {
	begin    time.Time
	batch    int
	warmUp   int // events dropped
	invalid  int // samples left out
	sampling string
	summary  stats.Summary // of samples, in seconds
	stopped  string
	elapsed  float64 // seconds, the whole cell
	before   float64 // distance, 0 = not known
	after    float64
	least    float64 // distances of neighbours in the ring, before; 0 = not known
	most     float64
	clock    float64 // by which ranks' clocks may be off, 0 = one clock
	warnings []string
	overlap  *overlap // nil = not asked for
}

// begin is the command that makes a cell. Copies of buffers and the way to start are the
// same on all ranks, also where their hosts differ.
func (c *conductor) begin(i int) command {
	c.start = c.plan.start(c.ch.Size())
	return command{Verb: verbCell, Cell: i, Copies: c.plan.Cells[i].copies(c.ch.Size(), c.cache)}
}

// measure runs one cell and hands its point to the sink.
func (c *conductor) measure(i int) error {
	o := outcome{begin: time.Now()}
	start := c.now()
	if _, err := c.do(c.begin(i)); err != nil || c.interrupted {
		return err
	}
	c.samples.Reset()
	c.locals.Reset()
	c.skews.Reset()
	c.invalid = 0
	c.checked = 0
	var err error
	if o.before, err = c.measureDistance(); err != nil {
		return err
	}
	if o.least, o.most, err = c.ringDistances(o.before); err != nil {
		return err
	}
	if err := c.checkAll(); err != nil {
		return err
	}
	if err := c.agreeOnClock(); err != nil {
		return err
	}
	s, err := c.sample(i)
	if err != nil {
		return err
	}
	if c.interrupted && c.samples.N() < stats.MinSamples {
		return nil // cut short: no number
	}
	if c.samples.N() == 0 {
		return fail(0, errNoTrial)
	}
	o.invalid = c.invalid
	if c.cell.Bench.Overlap && !c.interrupted {
		if o.overlap, err = s.measureOverlap(); err != nil {
			return err
		}
	}
	if err := c.checkAll(); err != nil {
		return err
	}
	if o.clock, err = c.clockError(); err != nil {
		return err
	}
	if o.after, err = c.measureDistance(); err != nil {
		return err
	}
	o.batch, o.warmUp, o.stopped = s.batch, s.warmUp, s.stopped
	o.sampling, o.summary = c.samples.Sampling(), s.summary
	o.warnings = s.warnings
	o.elapsed = float64(c.now()-start) / 1e9
	return c.sunk(c.sink.Point(c.point(&o)))
}

// sample times a cell. Where not one announced start was kept and the way to start was left
// to the runner, it does so again behind a barrier.
func (c *conductor) sample(i int) (*sampling, error) {
	s := c.newSampling(i)
	if err := s.run(); err != nil || c.samples.N() > 0 || c.interrupted || !c.appoints() || c.plan.Start != StartAuto {
		return s, err
	}
	s = c.newSampling(i)
	s.useBarrier(c.invalid)
	return s, s.run()
}

// checkAll exchanges messages that are checked one by one.
func (c *conductor) checkAll() error {
	n := c.plan.checks(c.cell.Size)
	first := c.pattern
	c.pattern += uint64(n)
	_, err := c.do(command{Verb: verbCheck, Samples: n, First: first})
	return err
}

// block times one block on all ranks; the times are in c.times.
func (c *conductor) block(samples, batch, lead int) error {
	first := c.pattern
	c.pattern += 2 // one for the block, one for the event after it
	_, err := c.do(command{Verb: verbBlock, Start: c.start, Samples: samples, Batch: batch, Lead: lead, First: first})
	return err
}
