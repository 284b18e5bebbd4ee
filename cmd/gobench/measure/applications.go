package measure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"gobench/bench"
	"gobench/bench/pace"
	"gobench/bench/record"
	"gobench/comm"
	"gobench/device"
	"gobench/internal/terminal"
	"gobench/kernels/application"
	"gobench/launch/host"
	"gobench/launch/pair"
	"gobench/report"
)

// MemoryError says that an application does not fit into the memory of this
// machine.
type MemoryError struct {
	Program, Label  string
	Ranks           int
	Need, Available int64 // bytes
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("%s %s does not fit into memory: %d ranks need %s, %s are available; choose a smaller problem",
		e.Program, e.Label, e.Ranks, memorySize(e.Need), memorySize(e.Available))
}

// memorySize is an amount of memory as people say it, in whole units rounded up.
func memorySize(n int64) string {
	shift := 20
	for n>>shift >= 10<<10 && shift < 30 {
		shift += 10
	}
	return report.FormatSize((n + 1<<shift - 1) >> shift << shift)
}

// checkMemory compares what the applications need with what this machine has.
func (r *Request) checkMemory() error {
	available := host.AvailableMemory()
	for _, c := range r.Cells {
		ranks := r.Ranks
		if c.Copies {
			ranks = 1
		}
		if need := c.Program.Memory(ranks, r.Threads) * int64(r.Ranks); need > available {
			return &MemoryError{c.Program.Name, c.Label, r.Ranks, need, available}
		}
	}
	return nil
}

// applications runs all cells over one transport. out is rank 0's, nil elsewhere.
func (r *Request) applications(ctx context.Context, job device.Job, t Transport, at place, id string, meter *pair.Meter, out *output) (err error) {
	d, err := t.Driver.Open(ctx, job, t.Options)
	if err != nil {
		return err
	}
	// Of what ranks say about the runs, over the first communicator, all must be whole.
	world, ready, err := r.world(d, func(context int32) bool { return context > comm.FirstContext+1 })
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
		if errors.Is(err, application.ErrInterrupted) || err != nil && at.signals.Err() != nil {
			err = fmt.Errorf("%w (%w)", bench.ErrInterrupted, err)
		}
	}()
	team, err := application.NewTeam(r.Threads, r.pinThread(job.Rank(), at.core))
	if err != nil {
		return err
	}
	defer team.Close()
	facts, err := threads(ctx, job, at.core)
	if err != nil {
		return err
	}
	if out != nil {
		if err := out.Started(facts); err != nil {
			return err
		}
	}
	var copies record.Value // rate of independent copies, of the cell before
	for i, c := range r.Cells {
		p := record.Point{Run: id, Time: time.Now(), Bench: c.Program.Name, Level: "comm", Ranks: r.Ranks, Threads: r.Threads, Cores: r.Cores}
		least, before, err := meter.Ring(ctx)
		if err != nil {
			return err
		}
		loop := pace.Loop()
		m, err := r.application(at.signals, world, team, c, i, ready, out)
		if err != nil {
			return err
		}
		loops, err := exchange(ctx, job, max(loop, pace.Loop()))
		if err != nil {
			return err
		}
		_, after, err := meter.Ring(ctx)
		if err != nil {
			return err
		}
		p.DistanceBefore, p.DistanceAfter, p.Loop = before, after, slices.Max(loops)
		if r.Ranks > 2 {
			p.DistanceLeast = least
		}
		if out == nil {
			continue
		}
		info := d.Info()
		p.Transport, p.Options, p.RankKind, p.MemoryPerPair = info.Transport, info.Options, info.Ranks, info.MemoryPerPair
		p.Duration = time.Since(p.Time).Seconds()
		c.Factors(&p)
		if c.Warning != "" {
			p.Warnings = append(p.Warnings, c.Warning)
		}
		if err := m.Record(&p, c.Program.Metric); err != nil {
			return err
		}
		if c.Copies {
			p.Copies, p.Ranks, p.Cores = r.Ranks, 1, nil
			copies = p.Metrics[c.Program.Metric]
		} else {
			r.scaling(&p, c.Program.Metric, copies)
			copies = record.Value{}
		}
		if err := out.Point(p); err != nil {
			return err
		}
	}
	return nil
}

// application runs one cell until it is done or a person ends it: that another rank
// has failed, which ends the context of goroutines, is no interruption.
func (r *Request) application(signals context.Context, world *comm.Comm, team *application.Team, c Cell, index int, ready *bool, out *output) (m application.Measured, err error) {
	own, aside := (*comm.Comm)(nil), world
	if c.Copies {
		own, err = world.Split(world.Rank(), 0)
		aside = own
	} else {
		own, err = world.Dup()
	}
	if err != nil {
		return m, err
	}
	defer func() {
		if err == nil {
			err = own.Close()
		}
	}()
	rank := application.NewRank(signals, own, team)
	rank.Aside = aside
	// A fault damages what the application sends once it is made: it may make
	// communicators, with messages that must be whole.
	p := c.Program
	p.New = func(rank *application.Rank) (application.Instance, error) {
		*ready = false
		i, err := c.Program.New(rank)
		*ready = true
		return i, err
	}
	var after func(int, application.Outcome)
	if out != nil {
		w := newWatch(out, rank, fmt.Sprintf("%d/%d %s %s, %d ranks", index+1, len(r.Cells), c.Program.Name, c.Label, r.Ranks))
		defer w.stop()
		after = func(run int, o application.Outcome) { w.after(run, o.Text) }
	}
	return application.Repeat(world, rank, p, r.Repeat, after)
}

// pinThread returns what puts a thread of a rank on its core, nil where the rank is
// not pinned.
func (r *Request) pinThread(rank, core int) func(thread int) error {
	if core < 0 || r.Threads == 1 {
		return nil
	}
	cores, err := host.Place(r.Ranks*r.Threads, r.Pin)
	if err != nil || cores == nil {
		return nil
	}
	return func(thread int) error { return host.Pin(cores[rank*r.Threads+thread]) }
}

// runsText says how many runs of a program a launch makes.
func runsText(repeat int) string {
	switch repeat {
	case 0:
		return "as many runs as take 0.2 s"
	case 1:
		return "one run"
	}
	return fmt.Sprintf("%d runs", repeat)
}

// dryRunApplications prints what would be run.
func (r *Request) dryRunApplications(w io.Writer) error {
	var transports, cells []string
	for _, t := range r.Transports {
		transports = append(transports, t.Driver.Name())
	}
	var most int64
	for _, c := range r.Cells {
		label := c.Program.Name + " " + c.Label
		ranks := r.Ranks
		if c.Copies {
			label, ranks = fmt.Sprintf("%d copies of %s", r.Ranks, label), 1
		}
		cells = append(cells, label)
		most = max(most, c.Program.Memory(ranks, r.Threads)*int64(r.Ranks))
	}
	place := "not pinned"
	if r.Cores != nil {
		place = "on cores " + host.FormatCores(r.Cores)
	}
	for _, line := range [][2]string{
		{"transports", strings.Join(transports, ", ")},
		{"programs", strings.Join(cells, ", ")},
		{"ranks", fmt.Sprintf("%d as %s with %d threads each, %s", r.Ranks, plural(r.RankKind), r.Threads, place)},
		{"launches", fmt.Sprintf("%d, with %s of each in one", r.Launches, runsText(r.Repeat))},
		{"memory", memorySize(most) + " at most, of all ranks"},
		{"records", "appended to " + r.file()},
	} {
		if _, err := io.WriteString(w, terminal.Hang(fmt.Sprintf("%-11s ", line[0]), line[1], terminal.Of(w).Width)); err != nil {
			return err
		}
	}
	return nil
}
