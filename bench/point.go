package bench

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"gobench/device"
	"gobench/internal/bench/state"
	"gobench/internal/human"
	"gobench/internal/launch/host"
	"gobench/internal/remedy"
	"gobench/record"
	"gobench/stats"
)

// point returns the record of an outcome.
func (c *conductor) point(o *outcome) record.Point {
	b, info := c.current.Bench, c.ch.Info()
	ranks := c.current.members(c.ch.Size())
	floor := c.floor(o.batch) * b.Scale
	event := o.summary.Scale(b.Scale / float64(o.batch)).Widen(floor)
	messages := c.current.messages(ranks)
	facts := Facts{
		Run: c.plan.Run, Bench: b.Name, Level: c.plan.Level, Begin: o.begin, Duration: o.elapsed, Ranks: ranks, Cores: c.plan.Cores, Over: &info,
		Loop: stats.Median(o.bin.loops), Before: o.before.Median, After: o.after.Median, RingMin: o.smallest, RingMax: o.largest, Changed: c.changed,
	}
	p := record.Point{Warnings: append(slices.Clone(o.warnings), o.summary.Warnings...)}
	facts.Describe(&p)
	p.Size, p.Amount = int64(c.current.Size), int64(messages)*int64(c.current.Size)
	p.Cache, p.Memory = string(c.current.cache()), string(c.current.memory())
	p.LineLow, p.LineHigh = o.before.Low, o.before.High
	p.Sampling, p.Iterations, p.WarmupDropped = o.sampling, int64(o.summary.N)*int64(o.batch), int64(o.warmUp)
	p.Floor, p.Steal, p.Stopped, p.Checked = floor, o.steal, o.stopped, int64(c.checked)
	p.Metrics = record.ValuesOf(map[string]record.Value{c.metric(): record.Times(event, o.batch > 1)})
	if o.batch == 1 && o.summary.P99 > 0 { // there is a tail
		p.Histogram = o.bin.samples.Histogram(b.Scale).String()
	}
	p.ClockCost, _ = c.clockCost()
	if o.in.Pair() != state.Unknown {
		p.StateShare = c.bins.share(o.in)
	}
	if o.in.Pair() != state.Changing {
		p.StateDistance = stats.Median(o.bin.distances)
	}
	if info.Path != nil && !b.OneSided && !b.Windows {
		t := b.traffic(ranks)
		t.Alloced = c.current.memory() == Device
		p.Path = info.Path(c.current.Size, t)
	}
	if b.Windows {
		options := map[string]string{"epoch": string(c.current.epoch())}
		maps.Copy(options, p.Options)
		p.Options = options
	}
	if b.Window {
		p.Window = c.current.window()
	}
	if c.current.Buffers > 1 {
		p.Buffers = c.current.Buffers
	}
	p.RegHits, p.RegMisses, p.RegPinned = o.memory.Hits, o.memory.Misses, o.memory.Pinned
	p.Batch = c.plan.Batch
	if o.batch > 1 {
		p.Batched = o.batch
	}
	if b.Collective != nil {
		c.operation(&p, o)
	}
	if o.overlap != nil {
		o.overlap.record(&p, b.Scale/float64(o.batch), o.batch > 1)
	}
	p.Polls = c.current.Polls
	if n := c.current.threads(); n > 1 {
		p.Threads = n
	}
	c.usage.record(&p)
	if c.current.Size > 0 && p.Amount > 0 {
		p.Metrics.Set("bandwidth_Bps", record.Rate(event, float64(p.Amount)))
	}
	if b.Rate {
		p.Metrics.Set("message_rate_per_s", record.Rate(event, float64(messages)))
	}
	p.Warnings = append(p.Warnings, c.warnings(o)...)
	p.Method = c.method(o)
	c.plan.Launch.Complete(&p)
	return p
}

// metric returns the key of the time metric of the current case. Collectives without a synchronised
// start overlap each other, so their metric is not the time of one operation.
func (c *conductor) metric() string {
	if c.current.collective() && c.start == StartNone {
		return "t_s"
	}
	return c.current.Bench.Metric
}

// warnings returns sentences about the conditions under which the samples were taken.
func (c *conductor) warnings(o *outcome) (w []string) {
	if o.stopped == "interrupted" {
		w = append(w, "interrupted: the cell was cut short")
	}
	if cost, _ := c.clockCost(); cost > clockShare*(cost+o.summary.P50) && o.batch > 1 {
		w = append(w, fmt.Sprintf("timer overhead is %.0f %% of a sample; it is subtracted", 100*cost/(cost+o.summary.P50)))
	}
	if o.steal > maxSteal {
		w = append(w, fmt.Sprintf("the host of this virtual machine took %s %% of the time of a core", human.Percent(o.steal)))
	}
	if share := float64(o.invalid) / float64(o.invalid+c.bins.n()); share > maxInvalid {
		w = append(w, fmt.Sprintf("%s %% of the samples are not valid: a rank came too late for the start, or a clock was stepped; use %v", human.Percent(share), remedy.Set("start", "barrier")))
	}
	if event := o.summary.P50 / float64(o.batch); o.clock > maxClock*event {
		w = append(w, fmt.Sprintf("the clocks of the hosts are synchronised to %.2g us, %.0f %% of the time of an operation: global times may be wrong by that; local times are not", o.clock*1e6, 100*o.clock/event))
	}
	if o.excess > 0 {
		w = append(w, fmt.Sprintf("a clock was stepped or slewed while samples were taken: it differs by %.3g us more than a clock of constant rate; global times may be wrong by %.3g us", o.excess*1e6, o.clock*1e6))
	}
	if o.in.Pair() == state.Changing {
		w = append(w, fmt.Sprintf("core-to-core latency changed while samples were taken (%.0f ns before the cell, %.0f ns after it): they belong to several states", o.before.Median*1e9, o.after.Median*1e9))
	}
	return w
}

// maxInvalid is the share of invalid samples above which a point has a warning (rule 14).
const maxInvalid = 0.1

// maxClock is the error of the synchronised clocks, as a share of the time of an operation, above
// which a point has a warning.
const maxClock = 0.2

// maxSteal is the share of stolen CPU time above which a point has a warning.
const maxSteal = 0.05

// operation adds the fields and metrics of collectives.
func (c *conductor) operation(p *record.Point, o *outcome) {
	b, scale := c.current.Bench, c.current.Bench.Scale/float64(o.batch)
	p.Start, p.Skew = string(c.start), c.plan.Skew.String()
	p.Invalid = int64(o.invalid + o.missed)
	p.ClockSync, p.ClockError = string(c.plan.sync(c.ch.Size())), o.clock
	p.InPlace, p.Distribution, p.Topology = b.Collective.InPlace, b.Collective.Distribution, b.Collective.Topology
	p.Datatype, p.Reduction = b.Collective.Datatype, b.Collective.Reduction
	if c.current.groups() > 1 {
		p.Groups = c.current.groups()
	}
	if b.Collective.Rooted {
		p.Root = c.current.Root.String()
	}
	p.Algorithm = b.Collective.Algorithm
	if n, ok := c.op.units[0].op.(Namer); ok {
		p.Algorithm, p.ByTable = n.Algorithm(), n.ByTable()
	}
	if c.start == StartNone {
		p.Metrics.Set("throughput_Ops", record.Rate(o.summary.Scale(scale).Widen(p.Floor), 1))
		c.volumes(p, o)
		return
	}
	p.Metrics.Set("local_s", record.Times(o.bin.locals.Summary(0).Scale(scale).Widen(p.Floor), o.batch > 1))
	if skew := o.bin.skews.Summary(0).Scale(scale).Widen(p.Floor); skew.P50 > 0 {
		p.Metrics.Set("skew_s", skewValue(skew, o.batch > 1))
	}
	c.volumes(p, o)
}

// volumes adds the bandwidths of a collective.
func (c *conductor) volumes(p *record.Point, o *outcome) {
	if p.Size == 0 {
		return
	}
	b := c.current.Bench
	event := o.summary.Scale(b.Scale / float64(o.batch)).Widen(p.Floor)
	p.Metrics.Set("algbw_Bps", record.Rate(event, float64(p.Size)))
	p.Metrics.Set("aggregate_Bps", record.Rate(event, float64(p.Size)*float64(p.Ranks)))
	if p.Ranks > 1 {
		p.Metrics.Set("delivered_Bps", record.Rate(event, float64(p.Size)*float64(p.Ranks-1)))
	}
	if bus := b.Collective.Bus; bus != nil {
		p.Metrics.Set("busbw_Bps", record.Rate(event, float64(p.Size)*bus(p.Ranks)))
	}
}

// skewValue returns a value whose interval may begin at zero, such as a skew. It leaves out such an
// interval, because a record cannot contain it.
func skewValue(s stats.Summary, batched bool) record.Value {
	v := record.Times(s, batched)
	if v.Lo == 0 {
		v.Lo, v.Hi, v.Confidence = 0, 0, 0
	}
	return v
}

// method returns the description of the measurement, which is printed below tables.
func (c *conductor) method(o *outcome) string {
	each := "timed individually"
	if o.batch > 1 {
		each = fmt.Sprintf("timed in batches of %d", o.batch)
	}
	if c.current.collective() {
		each += c.startText(o)
	}
	formula := c.current.Bench.Formula
	if c.current.collective() && c.start == StartNone {
		formula = "t = time of one operation among many in a row; throughput = 1 / t"
	}
	return fmt.Sprintf("%s; median of %d samples after %d events of warm-up, %s; clock cost subtracted; nonparametric interval inside the launch; data of %d messages checked outside the timed region",
		formula, o.summary.N, o.warmUp, each, c.checked)
}

// startText describes the start of a collective's events and the clock that times them.
func (c *conductor) startText(o *outcome) string {
	s := map[Start]string{
		StartBarrier: ", each sample behind a barrier of the runner",
		StartTime:    ", each sample from an announced time on",
		StartNone:    ", one after the other",
	}[c.start]
	if k := c.plan.Skew; k.Kind == SkewRandom {
		s += fmt.Sprintf(", each rank late by up to %v, which global counts from the first rank in", k.By)
	} else if k.Kind == SkewLate {
		s += fmt.Sprintf(", one rank in turn late by %v, which global counts from the first rank in", k.By)
	}
	if c.current.groups() > 1 {
		s += fmt.Sprintf(", %d groups at once of which the slowest counts", c.current.groups())
	}
	if o.clock > 0 {
		s += fmt.Sprintf(", on clocks synchronised to %.2g us (HCA3)", o.clock*1e6)
	}
	return s
}

// Facts holds what is stated of every result, whatever was measured: a benchmark, an application,
// the start of ranks, or a program of others. Describe is the only code that sets these fields of
// points, so that a new fact is one edit. Times are in seconds, 0 = not known.
type Facts struct {
	Run      string
	Bench    string
	Level    string
	Begin    time.Time
	Duration float64
	Ranks    int
	Cores    []int        // of each rank, -1 = not pinned; nil = not known
	Over     *device.Info // of the channel, nil = measured by a program of others
	Loop     float64      // of package pace, on the slowest core
	Before   float64      // latency between the cores before the measurement,
	After    float64      // and after it
	RingMin  float64      // latency between neighbours in the ring of ranks, before the measurement
	RingMax  float64
	Changed  map[string]uint64 // see record.Point.Counters
}

// Point returns a new point with the facts.
func (f *Facts) Point() record.Point {
	var p record.Point
	f.Describe(&p)
	return p
}

// Describe adds the facts to a point. It keeps what the point already states, which a program of
// others has measured itself; the run is always that of f. Warnings of the channel are appended.
func (f *Facts) Describe(p *record.Point) {
	p.Run = f.Run
	if p.Time.IsZero() {
		p.Time = f.Begin
	}
	p.Bench, p.Level = cmp.Or(p.Bench, f.Bench), cmp.Or(p.Level, f.Level)
	p.Duration, p.Ranks, p.Loop = cmp.Or(p.Duration, f.Duration), cmp.Or(p.Ranks, f.Ranks), cmp.Or(p.Loop, f.Loop)
	if p.Cores == nil {
		p.Cores = f.Cores
	}
	p.DistanceBefore, p.DistanceAfter = cmp.Or(p.DistanceBefore, f.Before), cmp.Or(p.DistanceAfter, f.After)
	p.DistanceMin, p.DistanceMax = cmp.Or(p.DistanceMin, f.RingMin), cmp.Or(p.DistanceMax, f.RingMax)
	if len(f.Changed) > 0 {
		p.Counters = f.Changed
		list := host.Faults(f.Changed)
		for i, name := range list {
			list[i] = fmt.Sprintf("%s +%d", name, f.Changed[name])
		}
		if len(list) > 0 {
			p.Warnings = append(p.Warnings, "counters of errors of the network have grown: "+strings.Join(list, ", "))
		}
	}
	if info := f.Over; info != nil {
		p.Transport, p.RankKind, p.Options, p.Found = info.Transport, info.Ranks, info.Options, info.Found
		p.MemoryPerPair, p.Route, p.MTU = info.MemoryPerPair, info.Route, info.MTU
		p.Warnings = append(p.Warnings, info.Warnings...)
	}
}
