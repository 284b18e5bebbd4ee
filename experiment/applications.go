package experiment

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gobench/bench"
	"gobench/comm"
	"gobench/device"
	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/launch/host"
	"gobench/internal/launch/pair"
	"gobench/internal/remedy"
	"gobench/kernels/application"
)

// Upper bounds, to catch typing mistakes.
const (
	maxThreads = 1024
	maxRepeat  = 10000
)

// plan implements Options, for one number of ranks.
func (a *Application) plan(r *measurement) (err error) {
	if a.Ranks < 1 {
		return remedy.Errorf("%v is %d: an application needs at least 1 rank, use %v", remedy.Named("np"), a.Ranks, remedy.Set("np", "4"))
	}
	if err := r.setThreads(a.Threads); err != nil {
		return err
	}
	if a.Repeat < 0 || a.Repeat > maxRepeat {
		return remedy.Errorf("%v is %d, want 1 to %d runs, or 0 for as many as there is time for", remedy.Named("repeat"), a.Repeat, maxRepeat)
	}
	r.Repeat = a.Repeat
	r.Jobs, err = a.Flags.Jobs(application.Request{Arguments: a.Arguments, Ranks: a.Ranks, Threads: a.Threads, Build: buildFacts()})
	return err
}

// setThreads checks and sets the number of threads of each rank.
func (r *measurement) setThreads(n int) error {
	if n < 1 || n > maxThreads {
		return remedy.Errorf("%v is %d, want 1 to %d", remedy.Named("threads"), n, maxThreads)
	}
	r.Threads = n
	return nil
}

// buildFacts returns facts of this program for the block of results of NPB.
func buildFacts() [][2]string {
	p := host.ThisProgram()
	facts := [][2]string{{"Program", "gobench"}, {"Go", p.Go}, {"Vector loops", p.SIMD}}
	if p.Commit != "" {
		facts = append(facts, [2]string{"Commit", p.Commit[:min(12, len(p.Commit))]})
	}
	return facts
}

// ParseCounts reads numbers of ranks: 4, or 1,2,4.
func ParseCounts(list string) ([]int, error) {
	var counts []int
	for _, word := range words(list) {
		n, err := strconv.Atoi(word)
		if err != nil {
			return nil, remedy.Errorf("%v is %q, want a number of ranks, or several: 1,2,4", remedy.Named("np"), list)
		}
		if !slices.Contains(counts, n) {
			counts = append(counts, n)
		}
	}
	return counts, nil
}

// MemoryError reports an application that does not fit into the memory of this machine.
type MemoryError struct {
	Program, Label  string
	Ranks           int
	Need, Available int64 // bytes
}

func (e *MemoryError) Error() string {
	need := fmt.Sprintf("%d ranks need", e.Ranks)
	if e.Ranks == 1 {
		need = "1 rank needs"
	}
	return fmt.Sprintf("%s %s does not fit into memory: %s %s, %s are available; choose a smaller problem",
		e.Program, e.Label, need, memorySize(e.Need), memorySize(e.Available))
}

// Misfit implements exit.Misfit.
func (e *MemoryError) Misfit() {}

// memorySize formats an amount of memory in whole units, rounded up.
func memorySize(n int64) string {
	shift := 20
	for n>>shift >= 10<<10 && shift < 30 {
		shift += 10
	}
	return human.Size((n + 1<<shift - 1) >> shift << shift)
}

// checkMemory returns a *MemoryError if an application needs more memory than is available.
func (r *measurement) checkMemory() error {
	available := host.AvailableMemory()
	for _, j := range r.Jobs {
		if need := j.Memory(r.Ranks, r.Threads); need > available {
			return &MemoryError{j.Program.Name, j.Label, r.Ranks, need, available}
		}
	}
	return nil
}

// applications runs all jobs over one transport. out is nil except on rank 0.
func (r *measurement) applications(ctx context.Context, job device.Job, t Transport, at location, measured bench.Plan, meter *pair.Meter, out *output) (err error) {
	d, err := t.Driver.Open(ctx, job, t.Options)
	if err != nil {
		return err
	}
	defer at.interrupts(d)()
	if err := out.stage(stageConnect); err != nil {
		d.Close()
		return err
	}
	// A fault damages messages of the application only. The messages of world, which exchange
	// results, and those that create communicators during the setup stay intact.
	world, ready, err := r.world(d, func(context int32) bool { return context > comm.FirstContext+1 })
	if err != nil {
		return err
	}
	defer func() {
		world.CloseAll(&err)
		if errors.Is(err, application.ErrInterrupted) || err != nil && at.signals.Err() != nil {
			err = fmt.Errorf("%w (%w)", bench.ErrInterrupted, err)
		}
	}()
	if err := out.stage(stageAgree); err != nil {
		return err
	}
	facts, err := threads(ctx, job, at.core())
	if err != nil {
		return err
	}
	plan := application.Plan{
		Run: measured.Run, Launch: measured.Launch, Jobs: r.Jobs, Threads: r.Threads, Repeat: r.Repeat, Cores: measured.Cores, Pin: at.pinThread(r.Threads),
		Interrupt: at.signals, Meter: meter, Scale: measured.Scale, PerProcess: measured.PerProcess, Baseline: application.Baseline(r.file()),
		Setup: func(active bool) { *ready = !active },
	}
	if on := machines(job); slices.Max(on) > slices.Min(on) {
		plan.Counters = func() func() (map[string]uint64, error) { return growth(ctx, job, measured.Counters) }
	}
	if out == nil {
		return application.Run(ctx, world, plan, nil)
	}
	if err := out.begun(facts); err != nil {
		return err
	}
	plan.Live = out.round.Live
	if err := application.Run(ctx, world, plan, out); err != nil {
		return err
	}
	return out.stage(stageMeasure)
}

// runsText describes the number of runs of a program in a launch.
func runsText(repeat int) string {
	switch repeat {
	case 0:
		return fmt.Sprintf("as many runs as take %v s", application.RepeatTime)
	case 1:
		return "one run"
	}
	return fmt.Sprintf("%d runs", repeat)
}

// dryRunApplications prints the plan of applications.
func (r *measurement) dryRunApplications(w io.Writer) error {
	var transports, jobs []string
	transports = append(transports, collect.Each(r.Transports, func(t Transport) string { return t.Driver.Name() })...)
	var largest int64
	for _, j := range r.Jobs {
		label := j.Program.Name + " " + j.Label
		if j.Copies {
			label = fmt.Sprintf("%d copies of %s", r.Ranks, label)
		}
		jobs = append(jobs, label)
		largest = max(largest, j.Memory(r.Ranks, r.Threads))
	}
	return writePlan(w, [][2]string{
		{"transports", strings.Join(transports, ", ")},
		{"programs", strings.Join(jobs, ", ")},
		{"ranks", fmt.Sprintf("%d as %s with %d threads each, %s", r.Ranks, plural(r.RankKind), r.Threads, r.where())},
		{"cells", fmt.Sprint(r.cells())},
		{"launches", fmt.Sprintf("%s, with %s of each in one", r.launchesText(), runsText(r.Repeat))},
		{"time", r.timeText()},
		{"memory", memorySize(largest) + " at most, of all ranks"},
		{"records", r.recordsText()},
	})
}

// growth returns a function that returns by how much counters of all hosts have grown since, and is
// collective. read is nil on ranks that read none.
func growth(ctx context.Context, job device.Job, read func() map[string]uint64) func() (map[string]uint64, error) {
	if read == nil {
		read = func() map[string]uint64 { return nil }
	}
	before := read()
	return func() (map[string]uint64, error) {
		all, err := device.Exchange(ctx, job, host.Changes(before, read()))
		changed := map[string]uint64{}
		for _, one := range all {
			maps.Copy(changed, one)
		}
		return changed, err
	}
}
