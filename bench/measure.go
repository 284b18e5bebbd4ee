package bench

import (
	"math"
	"time"

	"gobench/bench/state"
	"gobench/bench/stats"
	"gobench/launch/host"
)

// outcome is what measuring a cell found, before it becomes a record.Point.
type outcome struct {
	begin    time.Time
	batch    int
	warmUp   int // events dropped
	invalid  int // samples left out
	sampling string
	summary  stats.Summary // of samples, in seconds
	in       state.State   // of the cores, while the samples were taken
	bin      *bin          // of that state
	steal    float64       // share of the time that the host took from a core
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
	return command{Verb: verbCell, Cell: i, Copies: c.plan.Cells[i].copies(c.plan.Cells[i].members(c.ch.Size()), c.cache)}
}

// measure runs one cell and hands its points to the sink: one for each state of the cores.
func (c *conductor) measure(i int) error {
	o := outcome{begin: time.Now()}
	start := c.now()
	if _, err := c.do(c.begin(i)); err != nil || c.interrupted {
		return err
	}
	c.invalid = 0
	c.checked = 0
	var err error
	if o.before, err = c.measureDistance(); err != nil {
		return err
	}
	c.bins.apart = false
	before, err := c.look()
	if err != nil {
		return err
	}
	c.bins.begin(look{o.before, before.loop})
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
	if c.interrupted && c.bins.n() < stats.MinSamples {
		return nil // cut short: no number
	}
	kept := c.bins.kept()
	if len(kept) == 0 {
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
	o.batch, o.warmUp, o.stopped, o.warnings = s.batch, s.warmUp, s.stopped, s.warnings
	o.elapsed = float64(c.now()-start) / 1e9
	o.steal = c.steal()
	for n, in := range kept {
		o.in, o.bin = in, c.bins.list[in]
		o.sampling, o.summary = o.bin.samples.Sampling(), o.bin.samples.Summary(0)
		if n > 0 {
			o.overlap = nil // its phases were not told apart by state: they belong to the longest one
		}
		if err := c.sunk(c.sink.Point(c.point(&o))); err != nil {
			return err
		}
	}
	return nil
}

// steal is the share of the time since the begin of the launch that the host took from a core:
// the kernel counts in steps of 10 ms, which is too coarse for one cell.
func (c *conductor) steal() float64 {
	since := time.Since(c.launched).Seconds()
	if since <= 0 {
		return 0
	}
	return min(1, mostStolen(c.stolenBefore, c.stolen())/since)
}

// stolen is the time that the host has taken from each core of the plan so far, in seconds. 0 where
// no core is known or the kernel does not count it.
func (c *conductor) stolen() []float64 {
	all := make([]float64, len(c.plan.Cores))
	for i, core := range c.plan.Cores {
		if core >= 0 {
			all[i] = host.Stolen(core)
		}
	}
	return all
}

// mostStolen is the most that was taken from a core between two looks.
func mostStolen(before, now []float64) float64 {
	most := 0.0
	for i := range now {
		most = max(most, now[i]-before[i])
	}
	return most
}

// sample times a cell. Where not one announced start was kept and the way to start was left
// to the runner, it does so again behind a barrier.
func (c *conductor) sample(i int) (*sampling, error) {
	s := c.newSampling(i)
	if err := s.run(); err != nil || c.bins.n() > 0 || c.interrupted || !c.appoints() || c.plan.Start != StartAuto {
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
	c.subtractClock(c.times)
	c.subtractClock(c.local)
	return err
}

// subtractClock takes the reading of the clock out of times: each has one in it, half of it
// before the first event and half after the last. Nothing is shorter than a nanosecond.
func (c *conductor) subtractClock(times []int64) {
	cost, _ := c.clockCost()
	ns := int64(math.Round(cost * 1e9))
	for i := range times {
		times[i] = max(1, times[i]-ns)
	}
}

// clockCost is the cost of a reading of the clock in seconds, in the middle of what the ranks
// found, and by how much that of a rank may differ from it.
func (c *conductor) clockCost() (cost, uncertain float64) {
	least, most := math.Inf(1), 0.0
	for _, f := range c.facts {
		least, most = min(least, f.Clock.Cost), max(most, f.Clock.Cost)
		uncertain = max(uncertain, f.Clock.CostError)
	}
	return (least + most) / 2, uncertain + (most-least)/2
}

// floor is the least half width of an interval of the time of one event in seconds: half a step
// of the clock and the error of its cost, over the events timed together.
func (c *conductor) floor(batch int) float64 {
	step := 0.0
	for _, f := range c.facts {
		step = max(step, f.Clock.Resolution)
	}
	_, uncertain := c.clockCost()
	return (step/2 + uncertain) / float64(batch)
}
