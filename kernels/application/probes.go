package application

import (
	"context"
	"fmt"
	"slices"

	"gobench/comm"
	"gobench/comm/op"
	"gobench/internal/bench/clock"
	"gobench/internal/bench/pace"
	"gobench/internal/bench/state"
	"gobench/record"
	"gobench/stats"
)

// probeEvery is the time between two probes inside of a run, in seconds. Virtual cores change their
// state every 0.3 to 3 s. A probe takes some 0.3 ms on two ranks, which do not count as time of the
// run.
const probeEvery = 0.5

// probes measure the state of the cores before, inside of and after the runs of a job. They belong
// to one rank.
type probes struct {
	ctx   context.Context
	world *comm.Comm
	meter Meter
	// together: the distance between cores is measured inside of runs too, which is collective.
	together bool
	every    float64 // seconds between probes
	expected float64 // length of the run in seconds, 0 = not known
	from     int     // step of the last call of look
	since    int64   // clock.Now() of that call
	next     int     // step of the next call of look, 0 = none

	distances []float64 // greatest latency in the ring of ranks, seconds; the same on all ranks
	loops     []float64 // of package pace on this rank, seconds
}

// around takes the first or the last probe, outside of runs. It returns the least latency between
// neighbours in the ring of ranks, in seconds.
func (p *probes) around() (lowest float64, err error) {
	lowest, highest, err := p.meter.Ring(p.ctx)
	p.loops, p.distances = append(p.loops, pace.Loop()), append(p.distances, highest)
	return lowest, err
}

// begin schedules the probes of a run that starts now.
func (p *probes) begin() {
	p.from, p.since, p.next = 0, clock.Now(), 1
	if p.expected > 0 && p.expected < p.every {
		p.next = 0
	}
}

// look takes a probe after a step of the run, unless the last one is recent, and schedules its next
// call. With shared, all ranks call it after the same steps and agree on the schedule.
func (p *probes) look(r *Rank, step int, shared bool) error {
	spent := [1]float64{float64(clock.Now()-p.since) / 1e9}
	if shared = shared && p.together; shared {
		if err := comm.Allreduce(p.world, nil, spent[:], op.Max[float64]()); err != nil {
			return err
		}
	}
	if spent[0] >= p.every/2 {
		r.Pause()
		defer r.Resume()
		p.loops = append(p.loops, pace.Loop())
		if shared {
			_, highest, err := p.meter.Ring(p.ctx)
			if err != nil {
				return err
			}
			p.distances = append(p.distances, highest)
		}
	}
	steps := p.every / max(spent[0], 1e-9) * float64(step-p.from)
	p.from, p.since, p.next = step, clock.Now(), step+int(max(1, min(steps, 1<<30)))
	return nil
}

// loop returns the time of the loop of package pace on the slowest rank, in seconds: of each rank
// the median of its probes, or the greater value if there are only two. It is collective.
func (p *probes) loop() (float64, error) {
	typical := [1]float64{slices.Max(p.loops)}
	if len(p.loops) > 2 {
		typical[0] = stats.Median(p.loops)
	}
	err := comm.Allreduce(p.world, nil, typical[:], op.Max[float64]())
	return typical[0], err
}

// mostly is the least share of probes in one state for which a long run is assigned to that state.
const mostly = 0.9

// record sets the distances of a point. For a run with inner probes it also sets the most frequent
// state, or adds a warning that the state changed.
func (p *probes) record(point *record.Point, scale state.Scale) {
	n := len(p.distances)
	point.DistanceBefore, point.DistanceAfter = p.distances[0], p.distances[n-1]
	if n <= 2 {
		return
	}
	for _, d := range p.distances {
		scale.Add(d)
	}
	var in [state.Count][]float64
	frequent := state.Unknown
	for _, d := range p.distances {
		s := scale.Of(d)
		in[s] = append(in[s], d)
		if len(in[s]) > len(in[frequent]) {
			frequent = s
		}
	}
	if frequent == state.Unknown {
		return
	}
	point.StateShare = float64(len(in[frequent])) / float64(n)
	if point.StateShare >= mostly {
		point.StateDistance = stats.Median(in[frequent])
		return
	}
	point.Warnings = append(point.Warnings, fmt.Sprintf(
		"core-to-core latency changed during the run: the cores were %v in %d of %d probes", frequent, len(in[frequent]), n))
}
