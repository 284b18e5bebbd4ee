package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"gobench/bench"
	"gobench/comm"
	"gobench/device"
	"gobench/internal/collect"
	"gobench/internal/launch/hostlist"
	"gobench/internal/remedy"
	"gobench/kernels/application"
	"gobench/record"
	"gobench/stats"
)

// Startup holds the options of gobench startup.
type Startup struct {
	Launch
	Counts string // numbers of ranks, separated by commas, measured one after the other
}

// NewStartup returns the default options of gobench startup.
func NewStartup() *Startup {
	a := NewApplication(application.Application{New: func() application.Options { return nil }})
	return &Startup{Launch: a.Launch, Counts: a.Counts}
}

func (s *Startup) copied() Options { c := *s; return &c }

func (*Startup) levels() []string { return []string{levelComm} }

// ranks implements Options: all slots take part.
func (*Startup) ranks(hosts []hostlist.Host) int { return slots(hosts) }

// plan implements Options, for one number of ranks.
func (s *Startup) plan(r *measurement) error {
	if s.Ranks < 1 {
		return remedy.Errorf("%v is %d: at least 1 rank is started", remedy.Named("np"), s.Ranks)
	}
	if s.RankKind != "process" {
		return remedy.Errorf("gobench startup measures the start of processes: leave %v out", remedy.Named("ranks"))
	}
	if len(r.Transports) > 1 {
		return errors.New("gobench startup opens one transport in a launch: name one")
	}
	r.startup = true
	return nil
}

// startUp opens the transport and does a barrier. all holds the messages of the ranks from the
// preceding exchange. out is nil except on rank 0, which sends the end of each stage and then the
// point to the launching process. That process replaces the time of the point by its own.
func (r *measurement) startUp(ctx context.Context, job device.Job, at location, all []hello, out *output) (err error) {
	d, err := r.Transports[0].Driver.Open(ctx, job, r.Transports[0].Options)
	if err != nil {
		return err
	}
	defer at.interrupts(d)()
	if err := out.stage(stageConnect); err != nil {
		d.Close()
		return err
	}
	world, _, err := r.world(d, func(int32) bool { return false })
	if err != nil {
		return err
	}
	defer world.CloseAll(&err)
	if err := out.stage(stageAgree); err != nil {
		return err
	}
	if err := comm.Barrier(world); err != nil {
		return err
	}
	if err := out.stage(stageBarrier); err != nil || job.Rank() != 0 {
		return err
	}
	cores := collect.Each(all, func(h hello) int { return h.Core })
	out.begin(r.run(all, job.Hosts(), out.round, cores, at.launcher))
	if err := out.begun(nil); err != nil {
		return err
	}
	info := world.Device().Info()
	facts := bench.Facts{Run: out.run.ID, Bench: "startup", Level: levelComm, Begin: all[0].Time, Ranks: job.Size(), Cores: cores, Over: &info}
	p := facts.Point()
	p.Threads, p.Iterations, p.Sampling, p.Metrics = 1, 1, "exact", startMetrics(time.Since(all[0].Time).Seconds())
	p.Method = "time from the start of the first rank until rank 0 has left a barrier of all ranks and the process that started them knows it, on that process's clock"
	shared := r.launchFacts(out.round, out.placement)
	shared.Complete(&p)
	return out.Point(p)
}

// startMetrics returns the metrics of a start that took the given time.
func startMetrics(seconds float64) record.Values {
	return record.ValuesOf(map[string]record.Value{"run_s": record.Times(stats.Summarize([]float64{seconds}), false)})
}

// A starting receives the rows of a launch of gobench startup, and adds the times to its point.
type starting struct {
	*campaign
	point *record.Point
}

// Point implements Sink.
func (s *starting) Point(p record.Point) error {
	s.point = &p
	return nil
}

// finish completes the point after all ranks have ended, and passes it to the campaign.
func (s *starting) finish() error {
	if s.point == nil {
		return errors.New("rank 0 has sent no result")
	}
	parts, resident := s.timeline.start()
	barrier, _ := s.timeline.last(stageBarrier)
	end, _ := s.timeline.last(stageEnd)
	s.point.Metrics = startMetrics(barrier.at.Seconds())
	s.point.Duration = end.at.Seconds()
	s.point.Extra = map[string]json.RawMessage{}
	for name, value := range map[string]any{application.SplitField: parts, "resident_B": resident, "end_s": (end.at - barrier.at).Seconds(), "agents_s": s.connected.Seconds()} {
		b, err := json.Marshal(value)
		if err != nil {
			return err
		}
		s.point.Extra[name] = b
	}
	return s.campaign.Point(*s.point)
}
