package pairwise

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"gobench/internal/collect"
	"gobench/internal/launch/host"
	"gobench/pairs"
	"gobench/record"
)

// loadStart is the time-out of the start of a load on all hosts, and of its end.
const loadStart = 10 * time.Second

// startLoad makes hosts load the network until stop is called, which returns the bytes per second
// that all of them have sent together, or an error if the load has ended before.
func (w *Workers) startLoad(ctx context.Context, hosts []string, l Load) (stop func() (rate float64, err error), err error) {
	id, events, forget := w.watch(eventsOfRank * len(hosts))
	var sides []*remoteWorker
	ended, ready, rate := map[int]bool{}, 0, 0.0
	waiting := make([][]byte, len(hosts))
	take := func(e event) {
		failure := e.lost
		switch {
		case e.blobs != nil:
			passOn(id, e, waiting, sides)
			return
		case e.ready:
			ready++
			return
		case e.done != nil && e.done.Error != "":
			rate += e.done.Rate // its peer may have ended first
			failure = errors.New(e.done.Error)
		case e.done != nil:
			rate += e.done.Rate
		}
		ended[e.rank] = true
		if failure != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", hosts[e.rank], failure))
		}
	}
	// follow takes events until is reports that the wait is over, or loadStart has passed.
	follow := func(ctx context.Context, is func() bool) error {
		timeout := time.NewTimer(loadStart)
		defer timeout.Stop()
		for !is() {
			select {
			case e := <-events:
				take(e)
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-timeout.C:
				return fmt.Errorf("the load has not begun or ended on all hosts within %v", loadStart)
			}
		}
		return err
	}
	stop = func() (float64, error) {
		for len(events) > 0 {
			take(<-events)
		}
		before := err // hosts whose peer ends first have others later
		if before == nil && len(ended) > 0 {
			before = fmt.Errorf("%d of %d hosts have ended it", len(ended), len(hosts))
		}
		for rank, r := range sides {
			if !ended[rank] {
				r.send(order{Abort: &abort{id, "the load ends"}})
			}
		}
		if late := follow(context.WithoutCancel(ctx), func() bool { return len(ended) == len(sides) }); len(ended) < len(sides) {
			before = late
		}
		forget()
		return rate, before
	}
	var name string
	if sides, name, err = w.assign(ctx, id, hosts); err != nil {
		forget()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for rank, r := range sides {
		r.send(order{Load: &loadOrder{ID: id, Rank: rank, Hosts: hosts, Transport: w.o.Transport, Options: w.o.Set, Load: l}})
	}
	begun := follow(ctx, func() bool { return ready == len(hosts) || len(ended) > 0 })
	if begun == nil && len(ended) > 0 {
		begun = fmt.Errorf("%d of %d hosts have ended it", len(ended), len(hosts))
	}
	if begun != nil {
		stop()
		return nil, begun
	}
	return stop, nil
}

// impactReps is the number of measurements without and with load.
const impactReps = 9

// The time between messages is such that none waits for the one before without a load.
const (
	minInterval  = 100 * time.Microsecond
	roundTrips   = 4 // of the slowest pair, mean, or operations among all, in an interval
	firstOfScale = 1 * time.Microsecond
)

// intervalFor returns the time between messages of pairs with these results: 1, 2 or 5 times a
// power of ten, so that it is the same again in a repetition.
func intervalFor(samples []pairs.Sample) time.Duration {
	want := minInterval
	for _, s := range samples {
		want = max(want, time.Duration(roundTrips*max(2*s.HalfRTT.Mean, s.Allreduce.Mean)*float64(time.Second)))
	}
	for unit := firstOfScale; ; unit *= 10 {
		for _, n := range []time.Duration{1, 2, 5} {
			if n*unit >= want {
				return n * unit
			}
		}
	}
}

// Impact measures pairs of some hosts, the victims, and allreduce among these, in turns without a
// load and with a load of the others. The victims are every second host, or, with a matrix, those
// that it leaves. All points are appended to the file of Log, where each repetition is a launch. An
// error beside a result gives the reason why repetitions are missing.
func (c *Command) Impact(ctx context.Context, l Load) (_ *pairs.Impact, err error) {
	k, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	defer k.Close()
	names := collect.If(k.names, func(name string) bool { _, missing := k.missing[name]; return !missing })
	aggressors := len(names) / 2
	if l.Pattern == "matrix" {
		aggressors = len(l.Matrix)
	}
	if aggressors < 2 || len(names)-aggressors < 2 {
		return nil, fmt.Errorf("%d hosts can be reached: a load needs two hosts or more, and two others that are measured", len(names))
	}
	// Alternately, so that both kinds are on all switches.
	order := make([]string, 0, len(names))
	for parity := range 2 {
		for i, name := range names {
			if i%2 == 1-parity {
				order = append(order, name)
			}
		}
	}
	loading, victims := order[:aggressors], c.hostsOf(order[aggressors:])
	var batch []pairs.Match
	for i := 0; i+1 < len(victims); i += 2 {
		batch = append(batch, pairs.Match{A: i, B: i + 1})
	}
	measure := func() ([]pairs.Sample, [][]record.Point) {
		samples, points := k.workers.batch(ctx, victims, batch)
		s, p := k.workers.among(ctx, order[aggressors:], true)
		return append(samples, s), append(points, p)
	}
	records := &impactRecords{load: l, loading: aggressors}
	if c.Log != "" {
		if records.to, err = record.OpenContext(ctx, c.Log); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, records.to.Close()) }()
		if err := records.look(ctx, k, victims); err != nil {
			return nil, err
		}
	}
	free, _ := measure()
	k.workers.o.Interval = intervalFor(free)
	impact := &pairs.Impact{Pattern: l.Pattern, Loading: loading, Interval: k.workers.o.Interval.Seconds()}
	rng := rand.New(rand.NewPCG(l.Seed, 1))
	done, sent := 0, 0.0 // repetitions, and the sum of their rates
	repeat := func(launch int) error {
		var turn [2][]pairs.Sample
		first := rng.IntN(2)
		for _, loaded := range []int{first, 1 - first} {
			stop := func() (float64, error) { return 0, nil }
			if loaded == 1 {
				if stop, err = k.workers.startLoad(ctx, loading, l); err != nil {
					return fmt.Errorf("the load cannot be made: %w", err)
				}
			}
			var points [][]record.Point
			turn[loaded], points = measure()
			rate, err := stop()
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err != nil {
				return fmt.Errorf("the load has ended: %w", err)
			}
			sent += rate
			if err := records.add(launch, loaded == 1, k.workers.o.Interval, order[aggressors:], turn[loaded], points); err != nil {
				return err
			}
		}
		impact.Add(turn[0], turn[1])
		done++
		impact.Rate = sent / float64(done)
		return nil
	}
	for done < impactReps && err == nil {
		err = repeat(done + 1)
	}
	if done == 0 {
		return nil, err
	}
	impact.Judge()
	return impact, err
}

// impactRecords writes the points of Impact. Without a Writer it keeps nothing.
type impactRecords struct {
	to      *record.Writer
	load    Load
	loading int // hosts with the load
	hosts   map[string]host.Facts
	series  string
}

// look asks the victims for their facts.
func (r *impactRecords) look(ctx context.Context, k *cluster, victims []pairs.Host) error {
	_, silent := k.workers.Look(ctx, false, 0)
	r.hosts, r.series = map[string]host.Facts{}, record.NewID(time.Now())
	for _, v := range victims {
		if err := silent[v.Name]; err != nil {
			return fmt.Errorf("%s: %w", v.Name, err)
		}
		r.hosts[v.Name] = k.workers.all[v.Name].seen
	}
	return nil
}

// add writes a run for each sample that has points: of pairs of the victims, and the last of all.
func (r *impactRecords) add(launch int, loaded bool, interval time.Duration, victims []string, samples []pairs.Sample, points [][]record.Point) error {
	if r.to == nil {
		return nil
	}
	text := "none"
	if loaded {
		if text = fmt.Sprintf("%s of %d hosts", r.load.name(), r.loading); r.load.Rate > 0 {
			text += fmt.Sprintf(" at %g MB/s", r.load.Rate/1e6)
		}
	}
	for i, s := range samples {
		if len(points[i]) == 0 {
			continue
		}
		names := []string{s.A, s.B}
		if i == len(samples)-1 {
			names = victims
		}
		job, facts := record.Job{Launcher: "pairs", Ranks: len(names), Cores: points[i][0].Cores}, []any{}
		for rank, name := range names {
			job.Hosts, facts = append(job.Hosts, rank), append(facts, r.hosts[name])
		}
		run := record.Run{
			ID: record.NewID(time.Now()), Time: points[i][0].Time, Series: r.series, Command: os.Args, Program: host.ThisProgram(),
			Hosts: facts, Job: job, Seed: int64(r.load.Seed),
		}
		for j := range points[i] {
			p := &points[i][j]
			p.Run, p.Launch, p.Round = run.ID, launch, launch
			p.Load = fmt.Sprintf("%s, one each %v", text, interval)
		}
		if err := r.to.WriteAll(&run, points[i]); err != nil {
			return err
		}
	}
	return nil
}
