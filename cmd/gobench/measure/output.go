package measure

import (
	"fmt"
	"maps"
	"slices"

	"gobench/bench"
	"gobench/bench/record"
	"gobench/comm/coll"
	"gobench/launch/child"
	"gobench/launch/host"
)

// output is where rank 0 of a launch puts what it measures. It is the bench.Sink of all
// transports: it completes rows with what is known here alone.
type output struct {
	request *Request
	round   round
	rows    rows
	run     record.Run
	placed  host.Placement
	started bool
}

// begin takes the facts that are known before the first transport is open, and how the ranks
// are placed.
func (o *output) begin(run record.Run, placed host.Placement) { o.run, o.placed = run, placed }

// Started implements bench.Sink. It is called for every transport; the run is
// the same.
func (o *output) Started(ranks []bench.RankFacts) error {
	if o.started {
		return nil
	}
	o.started = true
	for _, f := range ranks {
		o.run.Clocks = append(o.run.Clocks, f.Clock)
		if f.Noise != nil {
			o.run.Noise = append(o.run.Noise, *f.Noise)
		}
	}
	if w := disturbed(o.run.Noise, hypervisor(&o.run)); w != "" && o.placed.Shared == "" { // else they disturb each other
		o.run.Warnings = append(o.run.Warnings, w)
	}
	return o.rows.Run(o.run)
}

// Progress implements bench.Sink.
func (o *output) Progress(p bench.Progress) { o.rows.Progress(p) }

// Point implements bench.Sink.
func (o *output) Point(p record.Point) error {
	p.Seed, p.Launch = o.round.Seed, o.round.Launch
	if o.round.Again {
		p.Round = o.round.Launch
	}
	if launch, block := child.Replicate(); launch > 0 { // of a sweep
		p.Launch, p.Block = launch, block
	}
	p.Precision = o.request.Precision
	if p.Algorithm != "" && o.request.Coll.Check == coll.CheckStrict {
		p.Check = strict
	}
	if w := o.placed.Shared; w != "" && !p.Oversubscribed() {
		p.Warnings = append(p.Warnings, record.Oversubscribed+w)
	}
	p.Warnings = append(p.Warnings, o.request.otherwise(&p)...)
	if f := o.request.Fault.String(); f != "" {
		p.Warnings = append(p.Warnings, f) // no reader may take it for a result
	}
	return o.rows.Point(p)
}

// otherwise says which options of the transport are in force with other values than were asked for.
func (r *Request) otherwise(p *record.Point) (said []string) {
	for _, t := range r.Transports {
		if t.Driver.Name() != p.Transport {
			continue
		}
		asked := t.Options.Map()
		for _, name := range slices.Sorted(maps.Keys(r.set[p.Transport])) {
			if is, ok := p.Options[name]; ok && is != asked[name] && asked[name] != auto {
				said = append(said, fmt.Sprintf("option %s is %s, not %s as asked for", name, is, asked[name]))
			}
		}
	}
	return said
}
