package bench

import (
	"cmp"
	"maps"
	"math"
	"runtime"
	"time"

	"gobench/device"
	"gobench/internal/bench/state"
	"gobench/stats"
)

// outcome holds the measurements of a case before they become a record.Point.
type outcome struct {
	begin    time.Time
	batch    int
	warmUp   int // events dropped
	invalid  int // samples left out
	missed   int // before that, announced starts that were given up
	sampling string
	summary  stats.Summary // of the samples, in seconds
	in       state.State   // of the cores while the samples were taken
	bin      *bin          // of that state
	steal    float64       // share of the time that the hypervisor took from a core
	stopped  string        // reason, see record.Point.Stopped
	elapsed  float64       // the whole case, seconds
	before   distance      // 0 = not known
	after    distance
	smallest float64 // distances of neighbours in the ring, before the case; 0 = not known
	largest  float64
	clock    float64 // error bound of the ranks' clocks, 0 = one clock
	excess   float64 // see clock.Deviation.Excess, seconds
	warnings []string
	overlap  *overlap             // nil = not measured
	memory   device.Registrations // while samples were taken, including the warm-up
}

// begin returns the command that sets up a case. Rank 0 chooses the number of copies and the kind
// of start for all ranks, because hosts may differ.
func (c *conductor) begin(i int) command {
	c.start = c.plan.start(c.ch.Size())
	return command{Verb: verbCase, Case: i, Copies: c.plan.Cases[i].copies(c.plan.Cases[i].members(c.ch.Size()), c.cache)}
}

// start returns the kind of start of collective benchmarks.
func (p Plan) start(ranks int) Start {
	if p.Start != StartAuto {
		return p.Start
	}
	if p.localRanks(ranks) > cmp.Or(p.Processors, runtime.NumCPU()) {
		return StartBarrier
	}
	return StartTime
}

// measure runs one case and hands its points to the sink: one for each state of the cores.
func (c *conductor) measure(i int) error {
	o := outcome{begin: time.Now()}
	start := c.now()
	if _, err := c.runOnAll(c.begin(i)); err != nil || c.interrupted {
		return err
	}
	c.invalid, c.checked, c.usage, c.changed = 0, 0, usage{}, map[string]uint64{}
	var err error
	if o.before, err = c.measureDistance(); err != nil {
		return err
	}
	c.bins.measurable = false
	before, err := c.probeCores()
	if err != nil {
		return err
	}
	c.bins.begin(probe{o.before.Median, before.loop})
	if o.smallest, o.largest, err = c.ringDistances(); err != nil {
		return err
	}
	if err := c.checkBefore(); err != nil {
		return err
	}
	if err := c.synchroniseClocks(); err != nil {
		return err
	}
	registered := c.registrations()
	s, err := c.sample(i)
	if err != nil {
		return err
	}
	c.recordEvent(s.sample / float64(s.batch))
	o.memory = c.registrations()
	o.memory.Hits -= registered.Hits
	o.memory.Misses -= registered.Misses
	if c.interrupted && c.bins.n() < stats.MinSamples {
		return nil // cut short: no number
	}
	kept := c.bins.reportable()
	if len(kept) == 0 {
		return abortFor(0, errNoTrial)
	}
	o.invalid = c.invalid
	if c.current.Bench.Overlap && !c.interrupted {
		if o.overlap, err = s.measureOverlap(); err != nil {
			return err
		}
	}
	if o.steal, err = c.check(c.checksOf(s.sample/float64(s.batch)), true); err != nil {
		return err
	}
	if o.clock, o.excess, err = c.clockError(); err != nil {
		return err
	}
	if o.after, err = c.measureDistance(); err != nil {
		return err
	}
	o.batch, o.warmUp, o.missed, o.stopped, o.warnings = s.batch, s.warmUp, s.missed, s.stopped, s.warnings
	o.elapsed = float64(c.now()-start) / 1e9
	for n, in := range kept {
		o.in, o.bin = in, c.bins.list[in]
		o.sampling, o.summary = o.bin.samples.Sampling(), o.bin.samples.Summary(0)
		if n > 0 {
			o.overlap = nil // is not separated by state; the first point has it
		}
		if err := c.sinkError(c.sink.Point(c.point(&o))); err != nil {
			return err
		}
	}
	return nil
}

// registrations returns the registrations of this rank's network so far; zero if it registers no
// memory.
func (c *conductor) registrations() (n device.Registrations) {
	if r, ok := c.ch.(device.Registrar); ok {
		n, _ = r.Registrations()
	}
	return n
}

// sample times a case. If the ranks missed every announced start and Plan.Start is StartAuto, it
// times the case again with a barrier.
func (c *conductor) sample(i int) (*sampling, error) {
	s := c.newSampling(i)
	if err := s.run(); err != nil || c.bins.n() > 0 || c.interrupted || !c.announcesStart() || c.plan.Start != StartAuto {
		return s, err
	}
	s = c.newSampling(i)
	s.useBarrier(c.invalid)
	return s, s.run()
}

// checkTime is the time in seconds of the checked events before a case, and after it, where there
// are more than one.
const checkTime = 0.1

// checksOf returns the number of checked events of a case of which one takes this many seconds.
func (c *conductor) checksOf(event float64) int {
	n := c.plan.checks(c.current, c.ch.Size())
	if c.plan.Checks > 0 || event <= 0 {
		return n
	}
	return int(max(1, min(float64(n), checkTime/event)))
}

// checkBefore checks messages before the timed part. The time of the first event, over a network of
// unknown speed, determines the number of the others.
func (c *conductor) checkBefore() error {
	begin := c.now()
	if _, err := c.check(1, false); err != nil {
		return err
	}
	more := c.checksOf(float64(c.now()-begin)/1e9) - 1
	if more == 0 {
		return nil
	}
	_, err := c.check(more, false)
	return err
}

// check runs n events on all ranks and checks the messages of each. At the end of a case it returns
// the largest share of time that was stolen from the core of a rank, and keeps changed counters.
func (c *conductor) check(n int, end bool) (steal float64, err error) {
	first := c.pattern
	c.pattern += uint64(n)
	reports, err := c.runOnAll(command{Verb: verbCheck, Samples: n, First: first, End: end})
	for _, rep := range reports {
		steal = max(steal, rep.Steal)
		maps.Copy(c.changed, rep.Changed)
	}
	return steal, err
}

// block times one block on all ranks; the times are in c.times.
func (c *conductor) block(samples, batch, lead int) error {
	first := c.pattern
	c.pattern += 2 // one for the block, one for the checked event after it
	_, err := c.runOnAll(command{Verb: verbBlock, Start: c.start, Samples: samples, Batch: batch, Lead: lead, First: first})
	c.subtractClock(c.times)
	c.subtractClock(c.local)
	return err
}

// subtractClock subtracts the cost of one clock reading from each time: half a reading lies before
// the first event and half after the last. No time becomes shorter than a nanosecond.
func (c *conductor) subtractClock(times []int64) {
	cost, _ := c.clockCost()
	ns := int64(math.Round(cost * 1e9))
	for i := range times {
		times[i] = max(1, times[i]-ns)
	}
}

// clockCost returns the cost of a clock reading in seconds, halfway between the least and the
// greatest of the ranks, and by how much the cost of a rank may differ from it.
func (c *conductor) clockCost() (cost, uncertain float64) {
	smallest, largest := math.Inf(1), 0.0
	for _, f := range c.facts {
		smallest, largest = min(smallest, f.Clock.Cost), max(largest, f.Clock.Cost)
		uncertain = max(uncertain, f.Clock.CostError)
	}
	return (smallest + largest) / 2, uncertain + (largest-smallest)/2
}

// floor returns the least half width of an interval of the time of one event in seconds: half the
// clock's resolution and the uncertainty of its cost, divided by the events timed together.
func (c *conductor) floor(batch int) float64 {
	step := 0.0
	for _, f := range c.facts {
		step = max(step, f.Clock.Resolution)
	}
	_, uncertain := c.clockCost()
	return (step/2 + uncertain) / float64(batch)
}
