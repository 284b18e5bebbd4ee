package bench

import (
	"fmt"
	"slices"

	"gobench/bench/record"
	"gobench/bench/state"
	"gobench/bench/stats"
)

// point makes the record of an outcome.
func (c *conductor) point(o *outcome) record.Point {
	b, info := c.cell.Bench, c.ch.Info()
	ranks := c.cell.members(c.ch.Size())
	floor := c.floor(o.batch) * b.Scale
	event := o.summary.Scale(b.Scale / float64(o.batch)).Widen(floor)
	messages := b.Amount(ranks, c.cell.window())
	p := record.Point{
		Run: c.plan.Run, Time: o.begin,
		Bench: b.Name, Transport: info.Transport, Level: c.plan.Level,
		Size: int64(c.cell.Size), Ranks: ranks, RankKind: info.Ranks, Cores: c.plan.Cores,
		Options: info.Options, Cache: string(c.cell.cache()), Algorithm: b.Algorithm, Memory: string(c.cell.memory()), Amount: int64(messages) * int64(c.cell.Size),
		Sampling: o.sampling, Iterations: int64(o.summary.N) * int64(o.batch),
		WarmupDropped: int64(o.warmUp), Floor: floor, Steal: o.steal,
		Stopped: o.stopped, Duration: o.elapsed, Checked: int64(c.checked),
		MemoryPerPair: info.MemoryPerPair, DistanceBefore: o.before, DistanceAfter: o.after,
		Metrics: map[string]record.Value{c.metric(): record.Times(event, o.batch > 1)},
	}
	p.ClockCost, _ = c.clockCost()
	p.Loop = middle(o.bin.loops)
	if o.in.Pair() != state.Unknown {
		p.StateShare = c.bins.share(o.in)
	}
	if o.in.Pair() != state.Changing {
		p.StateDistance = middle(o.bin.distances)
	}
	if info.Path != nil && c.cell.memory() == Heap && !b.Links { // Path speaks of messages from ordinary memory
		p.Path = info.Path(c.cell.Size)
	}
	if b.Window {
		p.Window = c.cell.window()
	}
	if o.batch > 1 {
		p.Batched = o.batch
	}
	if b.Collective {
		c.operation(&p, o)
	}
	if c.cell.Size > 0 && p.Amount > 0 {
		p.Metrics["bandwidth_Bps"] = record.Rate(event, float64(p.Amount))
	}
	if b.Rate {
		p.Metrics["message_rate_per_s"] = record.Rate(event, float64(messages))
	}
	p.Warnings = c.warnings(o)
	p.Method = c.method(o)
	return p
}

// metric is the key of the time of the current cell. Operations that follow each other overlap:
// theirs is no time of one.
func (c *conductor) metric() string {
	if c.cell.Bench.Collective && c.start == StartNone {
		return "t_s"
	}
	return c.cell.Bench.Metric
}

func (c *conductor) warnings(o *outcome) []string {
	w := append(slices.Clone(o.warnings), o.summary.Warnings...)
	if o.stopped == "interrupted" {
		w = append(w, "interrupted: the cell was cut short")
	}
	if cost, _ := c.clockCost(); cost > clockShare*(cost+o.summary.P50) && o.batch > 1 {
		w = append(w, fmt.Sprintf("timer overhead is %.0f %% of a sample; it is subtracted", 100*cost/(cost+o.summary.P50)))
	}
	if o.steal > mostSteal {
		w = append(w, fmt.Sprintf("the host of this virtual machine took %s %% of the time of a core", percent(o.steal)))
	}
	if share := float64(o.invalid) / float64(o.invalid+o.summary.N); share > maxInvalid {
		w = append(w, fmt.Sprintf("%s %% of the samples are not valid: a rank came too late for the start, or the clocks differ; use --start=barrier", percent(share)))
	}
	if o.in.Pair() == state.Changing {
		w = append(w, fmt.Sprintf("core-to-core latency changed while samples were taken (%.0f ns before the cell, %.0f ns after it): they are of no one state", o.before*1e9, o.after*1e9))
	}
	return w
}

// maxInvalid is the share of samples that may be left out without a warning
// (rule 14).
const maxInvalid = 0.1

// mostSteal is the share of a core's time that the host may take without a warning.
const mostSteal = 0.05

// operation adds what only collectives have.
func (c *conductor) operation(p *record.Point, o *outcome) {
	b, scale := c.cell.Bench, c.cell.Bench.Scale/float64(o.batch)
	p.Start, p.Skew = string(c.start), c.plan.Skew.String()
	p.Invalid = int64(o.invalid)
	p.DistanceLeast, p.DistanceMost = o.least, o.most
	p.ClockSync, p.ClockError = string(c.plan.sync(c.ch.Size())), o.clock
	p.InPlace = b.InPlace
	if c.cell.groups() > 1 {
		p.Groups = c.cell.groups()
	}
	if b.Rooted {
		p.Root = c.cell.Root.String()
	}
	if n, ok := c.op.units[0].op.(Namer); ok {
		p.Algorithm = n.Algorithm()
	}
	if o.overlap != nil {
		o.overlap.record(p, scale, o.batch > 1)
	}
	if c.start == StartNone {
		p.Metrics["throughput_Ops"] = record.Rate(o.summary.Scale(scale).Widen(p.Floor), 1)
		c.volumes(p, o)
		return
	}
	p.Metrics["local_s"] = record.Times(o.bin.locals.Summary(0).Scale(scale).Widen(p.Floor), o.batch > 1)
	if skew := o.bin.skews.Summary(0).Scale(scale).Widen(p.Floor); skew.P50 > 0 {
		p.Metrics["skew_s"] = skewValue(skew, o.batch > 1)
	}
	c.volumes(p, o)
}

// volumes adds the bandwidths of an operation.
func (c *conductor) volumes(p *record.Point, o *outcome) {
	if p.Size == 0 {
		return
	}
	b := c.cell.Bench
	event := o.summary.Scale(b.Scale / float64(o.batch)).Widen(p.Floor)
	p.Metrics["aggregate_Bps"] = record.Rate(event, float64(p.Size)*float64(p.Ranks))
	if b.Bus != nil {
		p.Metrics["busbw_Bps"] = record.Rate(event, float64(p.Size)*b.Bus(p.Ranks))
	}
}

// percent writes a share with two digits, or as a whole number.
func percent(share float64) string {
	if share >= 0.1 {
		return fmt.Sprintf("%.0f", 100*share)
	}
	return fmt.Sprintf("%.2g", 100*share)
}

// skewValue makes a value of skews, some of which may be zero: a record has nothing
// that is zero, nor an interval that begins there.
func skewValue(s stats.Summary, batched bool) record.Value {
	v := record.Times(s, batched)
	if v.Lo == 0 {
		v.Lo, v.Hi, v.Confidence = 0, 0, 0
	}
	return v
}
