package application

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"gobench/bench"
	"gobench/bench/team"
	"gobench/comm"
	"gobench/internal/bench/state"
	"gobench/internal/launch/host"
	"gobench/record"
	"gobench/stats"
)

// Plan selects the jobs of a run and how they are run.
type Plan struct {
	Run       string // ID of the run in records
	Jobs      []Job
	Threads   int                    // of each rank
	Repeat    int                    // runs of each job, 0 = as many as take RepeatTime
	Cores     []int                  // of each rank; -1 = not pinned
	Pin       func(thread int) error // pins a thread to its core, nil = not pinned
	Live      bool                   // the sink gets lines
	Interrupt context.Context        // its end interrupts the job at its next step
	Meter     Meter                  // of the cores
	Scale     record.Scale           // of the cores, as far as it is known
	Probes    float64                // seconds between measurements of the cores in a run, 0 = probeEvery
	Baseline  Baseline               // of speedup and efficiency
	Launch    record.LaunchFacts
	// PerProcess is the number of ranks of each process, see bench.Plan.
	PerProcess int
	// Counters returns a function that returns by how much counters of errors of the network have
	// grown since, on all hosts. It is collective; nil = one host.
	Counters func() func() (map[string]uint64, error)
	// Setup, if not nil, is called with true before the untimed setup of a program, and with false
	// after it.
	Setup func(bool)
}

// Meter measures the latency between the cores of the ranks of this host.
type Meter interface {
	// Ring returns the least and the greatest latency between neighbours in the ring of ranks, in
	// seconds, 0 if unknown. It is collective.
	Ring(context.Context) (lowest, highest float64, err error)
}

// Run runs all jobs of p on the ranks of world. It is collective; sink is nil except on rank 0, and
// gets points, lines and texts.
func Run(ctx context.Context, world *comm.Comm, p Plan, sink bench.Sink) error {
	team, err := team.New(p.Threads, p.Pin)
	if err != nil {
		return err
	}
	defer team.Close()
	var copies record.Value // rate of the copies of the job before
	for i := range p.Jobs {
		job := &p.Jobs[i]
		facts := bench.Facts{Run: p.Run, Bench: job.Program.Name, Level: "comm", Begin: time.Now(), Ranks: world.Size(), Cores: p.Cores}
		in := &probes{ctx: ctx, world: world, meter: p.Meter, every: cmp.Or(p.Probes, probeEvery)}
		lowest, err := in.around()
		if err != nil {
			return err
		}
		in.together = lowest > 0 && !job.Copies
		var changed func() (map[string]uint64, error)
		if p.Counters != nil {
			changed = p.Counters()
		}
		m, err := p.run(world, team, i, in, sink)
		if err != nil {
			return err
		}
		if _, err := in.around(); err != nil {
			return err
		}
		if facts.Loop, err = in.loop(); err != nil {
			return err
		}
		if changed != nil {
			if facts.Changed, err = changed(); err != nil {
				return err
			}
		}
		if sink == nil {
			continue
		}
		if world.Size() > 2 {
			facts.RingMin = lowest
		}
		point := record.Point{Threads: p.Threads}
		in.record(&point, state.From(p.Scale))
		info := world.Device().Info()
		facts.Over, facts.Duration = &info, time.Since(facts.Begin).Seconds()
		facts.Describe(&point)
		job.Factors(&point)
		if job.Warning != "" {
			point.Warnings = append(point.Warnings, job.Warning)
		}
		metric := job.Program.Metric
		if err := m.Record(&point, metric); err != nil {
			return err
		}
		if m.used != (host.Usage{}) && p.PerProcess < 2 {
			elapsed := 0.0
			for _, s := range m.Seconds {
				elapsed += s * float64(world.Size())
			}
			bench.RecordUsage(&point, m.used.User, m.used.System, m.used.Switches, elapsed, int64(len(m.Seconds)*world.Size()))
		}
		if job.Copies {
			point.Copies, point.Ranks, point.Cores = world.Size(), 1, nil
			copies = point.Metrics.Get(metric)
		} else {
			p.Baseline.scaling(&point, metric, job.Serial, copies)
			copies = record.Value{}
		}
		p.Launch.Complete(&point)
		if err := sink.Point(point); err != nil {
			return err
		}
	}
	return nil
}

// run runs one job until it is done or interrupted. The failure of another rank is not an
// interruption.
func (p *Plan) run(world *comm.Comm, team *team.Team, index int, in *probes, sink bench.Sink) (m Measured, err error) {
	job := &p.Jobs[index]
	own, aside := (*comm.Comm)(nil), world
	if job.Copies {
		own, err = world.Split(world.Rank(), 0)
		aside = own
	} else {
		own, err = world.Dup()
	}
	if err != nil {
		return m, err
	}
	rank := NewRank(p.Interrupt, own, team)
	defer func() {
		if err == nil {
			err = rank.Close()
		}
		if err == nil {
			err = own.Close()
		}
	}()
	rank.Aside, rank.probes = aside, in
	program := job.Program
	if setup := program.New; p.Setup != nil {
		program.New = func(rank *Rank) (Instance, error) {
			p.Setup(true)
			defer p.Setup(false)
			return setup(rank)
		}
	}
	var after func(int, Outcome)
	if sink != nil {
		w := newWatch(sink, rank, fmt.Sprintf("%d/%d %s %s, %d ranks", index+1, len(p.Jobs), job.Program.Name, job.Label, world.Size()), p.Live)
		defer func() { err = cmp.Or(err, w.stop()) }()
		after = func(run int, o Outcome) { w.after(run, o.Text) }
	}
	return Repeat(world, rank, program, p.Repeat, after)
}

// Names of the fields of a point that hold objects.
const (
	SplitField    = "phases_s"
	MessagesField = "messages"
	WaitedField   = "waited_s"
)

// VerifiedField is the name of the field with the number of verified runs. It counts all runs,
// because a wrong one ends the measurement without a point.
const VerifiedField = "verified"

// Record sets the metrics (run_s and metric), warnings and extra fields of a point.
func (m *Measured) Record(p *record.Point, metric string) error {
	times, rates := stats.Summarize(m.Seconds), stats.Summarize(m.Rates)
	rate := record.Times(rates, true)
	p.Iterations, p.Sampling = int64(len(m.Seconds)), "exact"
	p.Metrics = record.ValuesOf(map[string]record.Value{"run_s": record.Times(times, false), metric: rate})
	for key, values := range m.Others {
		p.Metrics.Set(key, record.Times(stats.Summarize(values), true))
	}
	p.Warnings = append(p.Warnings, m.Warnings...)
	if times.Lo != 0 { // without an interval N shows that there were too few runs
		p.Warnings = append(p.Warnings, times.Warnings...)
	}
	if p.Extra == nil {
		p.Extra = map[string]json.RawMessage{}
	}
	fields := map[string]any{SplitField: m.Split, MessagesField: m.Traffic, VerifiedField: len(m.Seconds)}
	if m.Waited != nil {
		fields[WaitedField] = m.Waited
	}
	maps.Copy(fields, m.Facts)
	for name, value := range fields {
		b, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("field %s: %w", name, err)
		}
		p.Extra[name] = b
	}
	return nil
}
