package measure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gobench/bench/record"
	"gobench/bench/stats"
	"gobench/comm"
	"gobench/device"
	"gobench/kernels/application"
	"gobench/launch"
	"gobench/launch/host"
)

// Startup holds the options of gobench startup.
type Startup struct {
	Launch
	Counts string // numbers of ranks, separated by commas; one for each launch
}

// NewStartup returns the default options of gobench startup.
func NewStartup() *Startup {
	a := NewApplication(application.Application{New: func() application.Options { return nil }})
	return &Startup{Launch: a.Launch, Counts: a.Counts}
}

func (*Startup) level() string { return "comm" }

// ranks implements Options: all slots take part.
func (*Startup) ranks(hosts []launch.Host) int { return slots(hosts) }

// plan implements Options, for one number of ranks.
func (s *Startup) plan(r *Request) error {
	if s.Ranks < 1 {
		return fmt.Errorf("-n is %d: at least 1 rank is started", s.Ranks)
	}
	if s.RankKind != "process" {
		return errors.New("gobench startup measures the start of processes: leave --ranks out")
	}
	if len(r.Transports) > 1 {
		return errors.New("gobench startup opens one transport in a launch: name one")
	}
	r.Plan.Level = "comm"
	r.startup = true
	return nil
}

// Stages of a start, in their order. Each ends when rank 0 knows that all ranks are through.
const (
	stageProcesses = "processes" // all ranks have been started, and have exchanged a message through the launcher
	stageConnect   = "connect"   // the transport is open
	stageAgree     = "agree"     // the first messages over it: the ranks have agreed about their options, along a tree
	stageBarrier   = "barrier"   // every rank has got a message
)

// stages are all of them.
var stages = []string{stageProcesses, stageConnect, stageAgree, stageBarrier}

// startUp opens the transport and does a barrier. all are the messages of the exchange before. Rank 0
// sends each stage that it has reached to the process that started it, which times them on its clock,
// and then the point, with the time from its own begin, which that process replaces.
func (r *Request) startUp(ctx context.Context, job device.Job, at place, n round, all []hello, found rows) (err error) {
	stage := func(string) error { return nil }
	if job.Rank() == 0 {
		stage = found.(*sender).stage
	}
	if err := stage(stageProcesses); err != nil {
		return err
	}
	d, err := r.Transports[0].Driver.Open(ctx, job, r.Transports[0].Options)
	if err != nil {
		return err
	}
	if err := stage(stageConnect); err != nil {
		d.Close()
		return err
	}
	world, _, err := r.world(d, func(int32) bool { return false })
	if err != nil {
		return err
	}
	defer func() {
		if err == nil {
			err = world.Close()
		}
		if e := world.Device().Close(); err == nil && !errors.Is(e, device.ErrClosed) {
			err = e
		}
	}()
	if err := stage(stageAgree); err != nil {
		return err
	}
	if err := comm.Barrier(world); err != nil {
		return err
	}
	if err := stage(stageBarrier); err != nil || job.Rank() != 0 {
		return err
	}
	var cores []int
	for _, h := range all {
		cores = append(cores, h.Core)
	}
	out := &output{request: r, round: n, rows: found}
	run, placed := r.run(all, job.Hosts(), n, cores, at.launcher)
	out.begin(run, placed)
	if err := out.Started(nil); err != nil {
		return err
	}
	info := world.Device().Info()
	p := record.Point{
		Run: run.ID, Time: all[0].Time, Bench: "startup", Level: "comm", Ranks: job.Size(), Threads: 1, Cores: cores,
		Transport: info.Transport, Options: info.Options, RankKind: info.Ranks, MemoryPerPair: info.MemoryPerPair,
		Iterations: 1, Sampling: "exact", Metrics: startMetrics(time.Since(all[0].Time).Seconds()),
		Method: "time from the start of the first rank until rank 0 has left a barrier of all ranks and the process that started them knows it, on that process's clock",
	}
	facts := r.launchFacts(n, placed)
	facts.Complete(&p)
	return out.Point(p)
}

// startMetrics returns the metrics of a start that took so many seconds.
func startMetrics(seconds float64) map[string]record.Value {
	return map[string]record.Value{"run_s": record.Times(stats.Summarize([]float64{seconds}), false)}
}

// stage sends the end of a stage of the start, with the memory of this rank.
func (s *sender) stage(name string) error {
	return s.send(message{Stage: name, Resident: host.ResidentMemory()})
}

// A starting receives rows while ranks start, and adds the times to their point.
type starting struct {
	*Campaign
	begun    time.Time
	ended    map[string]float64 // stages, in seconds from begun
	resident map[string]int64   // memory of rank 0 at the end of the stages, bytes
	point    *record.Point
}

func newStarting(c *Campaign) *starting {
	return &starting{Campaign: c, begun: time.Now(), ended: map[string]float64{}, resident: map[string]int64{}}
}

// Stage notes the end of a stage.
func (s *starting) Stage(name string, resident int64) {
	s.ended[name], s.resident[name] = time.Since(s.begun).Seconds(), resident
}

// Point implements rows.
func (s *starting) Point(p record.Point) error {
	s.point = &p
	return nil
}

// parts returns the time that each stage took.
func (s *starting) parts() application.Split {
	parts := application.Split{}
	before := 0.0
	for _, name := range stages {
		t := s.ended[name] - before
		parts[name] = application.Share{Min: t, Mean: t, Max: t}
		before = s.ended[name]
	}
	return parts
}

// finish passes the point of ranks that have all ended now.
func (s *starting) finish() error {
	end := time.Since(s.begun).Seconds()
	if s.point == nil {
		return errors.New("rank 0 has sent no result")
	}
	total := s.ended[stageBarrier]
	s.point.Metrics = startMetrics(total)
	s.point.Duration = end
	s.point.Extra = map[string]json.RawMessage{}
	for name, value := range map[string]any{application.SplitField: s.parts(), "resident_B": s.resident, "end_s": end - total, "agents_s": s.connected.Seconds()} {
		b, err := json.Marshal(value)
		if err != nil {
			return err
		}
		s.point.Extra[name] = b
	}
	return s.Campaign.Point(*s.point)
}
