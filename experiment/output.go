package experiment

import (
	"gobench/bench"
	"gobench/comm/coll"
	"gobench/device"
	"gobench/internal/launch/child"
	"gobench/internal/launch/host"
	"gobench/internal/simd"
	"gobench/record"
)

// output is the bench.Sink of rank 0, for all transports of a launch. It adds the run before the
// first point, and names of hosts to warnings.
type output struct {
	request   *measurement
	job       device.Job
	round     round
	rows      Sink
	run       record.Run
	placement host.Placement
	started   bool
}

// begin sets the facts that are known before the first transport is opened, and the placement of
// the ranks.
func (o *output) begin(run record.Run, placement host.Placement) { o.run, o.placement = run, placement }

// Event implements bench.Sink.
func (o *output) Event(e bench.Event) error {
	if e.Ranks != nil {
		return o.begun(e.Ranks)
	}
	return o.rows.Event(e)
}

// begun is called for every transport, with the facts of the ranks' threads, nil if nobody measured
// them. It sends the run once.
func (o *output) begun(ranks []bench.RankFacts) error {
	if !o.request.startup {
		if err := o.stage(stageCalibrate); err != nil {
			return err
		}
	}
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
	// Ranks that share cores disturb each other.
	if w := disturbed(&o.run, o.request.otherCores); w != "" && o.placement.Shared == "" {
		o.run.Warnings = append(o.run.Warnings, w)
	}
	if o.request.Jobs != nil && simd.Omitted() {
		o.run.Warnings = append(o.run.Warnings, "this build has no vector loops, so kernels take longer: build it with make build")
	}
	return o.rows.Run(o.run)
}

// stage sends the end of a stage with the memory of this rank, if stages are requested. o is nil
// except on rank 0, and nil sends nothing.
func (o *output) stage(name string) error {
	if o == nil || !o.round.Stages {
		return nil
	}
	return o.rows.Event(bench.Event{Stage: &bench.Stage{Name: name, Resident: host.ResidentMemory()}})
}

// Point implements bench.Sink.
func (o *output) Point(p record.Point) error {
	for i, w := range p.Warnings {
		p.Warnings[i] = nameHosts(o.job, w)
	}
	return o.rows.Point(p)
}

// SameValue reports whether two values of an option are the same text or the same number of bytes.
func SameValue(a, b string) bool {
	m, first := device.ParseBytes(a)
	n, second := device.ParseBytes(b)
	return a == b || first == nil && second == nil && m == n
}

// launchFacts returns the facts that all points of a launch share.
func (r *measurement) launchFacts(n round, placement host.Placement) record.LaunchFacts {
	f := record.LaunchFacts{
		Seed: n.Seed, Launch: n.Launch, Placement: n.Placement, Precision: r.Precision, Shared: placement.Shared, SelfTest: r.Fault.String(), PerProcess: r.PerProcess, Options: map[string]map[string]string{}, Same: SameValue,
	}
	if n.Again {
		f.Round = n.Launch
	}
	if launch, block := child.Replicate(); launch > 0 { // of a sweep
		f.Launch, f.Block = launch, block
	}
	if r.Coll.Check == coll.CheckStrict {
		f.Check = strict
	}
	for _, t := range r.Transports {
		effective, set := t.Options.Map(), map[string]string{}
		for name := range r.set[t.Driver.Name()] {
			set[name] = effective[name]
		}
		f.Options[t.Driver.Name()] = set
	}
	return f
}
