package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"gobench/bench"
	"gobench/device"
	"gobench/internal/exit"
	"gobench/internal/launch/host"
	"gobench/internal/launch/pair"
	"gobench/internal/launch/signals"
	"gobench/internal/remedy"
	"gobench/launch"
	"gobench/launch/rendezvous"
	"gobench/record"
)

// Rank runs a process that was launched as a rank. If gobench launched it, the process takes part
// in one launch, and rank 0 sends the results to the launching process. Under another launcher,
// launches are rounds: all ranks open the device again for each, and rank 0 writes the records and
// prints. Other ranks print only errors that rank 0 does not print.
func (r *measurement) Rank(ctx context.Context, rank *rendezvous.Rank, launcher string, s Setup) error {
	defer rank.Close()
	if err := rank.Pin(); err != nil {
		return err
	}
	if _, launched, err := roundOfEnv(); err != nil {
		return err
	} else if !launched { // gobench gives all ranks one command line
		if err := r.together(ctx, rank); err != nil {
			rank.Tell(err)
			return err
		}
	}
	if launcher == "local" && rank.HostName(0) != "" {
		launcher = "ssh"
	}
	at := location{rank.Cores(), launcher, ctx}
	if r.PerProcess > 1 {
		return r.nested(ctx, rank, at, s)
	}
	return r.alone(ctx, rank, rank, at, s)
}

// nested runs the ranks of a process that has several of them.
func (r *measurement) nested(ctx context.Context, process *rendezvous.Rank, at location, s Setup) error {
	var own error // of the first rank of the process
	err := launch.Nested(ctx, process, r.PerProcess, func(ctx context.Context, job device.Job) error {
		number := job.Rank() % r.PerProcess
		at, err := at.part(number, r.PerProcess, r.Threads)
		if err != nil {
			return err
		}
		err = r.alone(ctx, process, job, at, s)
		if number == 0 {
			own = err
		}
		return err
	})
	return better(own, err)
}

// alone runs one rank of job, which is process itself or one rank of it.
func (r *measurement) alone(ctx context.Context, process *rendezvous.Rank, job device.Job, at location, s Setup) error {
	n, launched, err := roundOfEnv()
	if err != nil {
		return err
	}
	if r.startup && !launched {
		return errors.New("gobench startup measures ranks that it starts itself: leave the launcher out")
	}
	if r.Pin == Pairs && !launched {
		return remedy.Errorf("%v needs ranks that gobench starts itself: leave the launcher out", remedy.Set("pin", Pairs))
	}
	if launched {
		err = r.rank(ctx, job, at, n, newSender(s.Stdout, n.Live))
	} else {
		err = r.rounds(ctx, job, at, s)
	}
	err = named(job, err)
	// The launching process prints these.
	silent := job.Rank() != 0 || launched && (errors.Is(err, bench.ErrInterrupted) || errors.Is(err, errElsewhere))
	silent = silent && err != nil && reportedByRank0(err) && (launched || !lostRank0(err))
	if err != nil { // another launcher then ends the other ranks
		process.Tell(err)
	}
	if err != nil && !launched && job.Rank() != 0 && lostRank0(err) {
		// Rank 0 may have closed its device because of an error that it is about to print. Other
		// launchers discard output as soon as a rank has failed.
		select {
		case <-at.signals.Done():
		case <-time.After(rank0Prints):
		}
	}
	if silent {
		return &exit.ReportedError{Code: ExitCode(err), Err: err}
	}
	return err
}

// rank0Prints is the time that a rank of another launcher waits before it exits because rank 0 is
// lost.
const rank0Prints = 500 * time.Millisecond

// next is the message of rank 0 before each round.
type next struct {
	Round  *round `json:"round,omitempty"`  // nil = no more rounds
	Failed bool   `json:"failed,omitempty"` // rank 0 cannot continue
}

// rounds runs the launches of a command whose processes another launcher started. It is collective.
func (r *measurement) rounds(ctx context.Context, job device.Job, at location, s Setup) error {
	if job.Rank() != 0 {
		for {
			all, err := device.Exchange(ctx, job, next{})
			switch {
			case err != nil:
				return at.interrupted(err)
			case all[0].Failed:
				return errElsewhere
			case all[0].Round == nil:
				return nil
			}
			if err := r.rank(ctx, job, at, *all[0].Round, nil); err != nil {
				return err
			}
		}
	}
	for _, line := range r.remarks() {
		fmt.Fprintf(s.Stderr, "gobench: %s\n", line)
	}
	// Open MPI gives rank 0 a terminal of its own, and copies what it prints to files.
	s.Stdout, s.Stderr = struct{ io.Writer }{s.Stdout}, struct{ io.Writer }{s.Stderr}
	c, err := newCampaign(ctx, []*measurement{r}, s)
	if err != nil {
		device.Exchange(ctx, job, next{Failed: true})
		return err
	}
	return c.do(ctx, func(ctx context.Context, r *measurement, n round) error {
		n.Again = true
		if _, err := device.Exchange(ctx, job, next{Round: &n}); err != nil {
			return at.interrupted(err)
		}
		return r.rank(ctx, job, at, n, c)
	}, func() error {
		_, err := device.Exchange(ctx, job, next{})
		return at.interrupted(err)
	})
}

// location describes where a rank runs.
type location struct {
	cores    []int // of the threads of the process, or of one rank of it; nil = not pinned
	launcher string
	signals  context.Context // ends when a signal asks this process to end
}

// part returns the place of one of n ranks that are goroutines of this process, and pins the
// calling thread, which is that rank's, to its first core. Ranks that share threads are not pinned.
func (at location) part(rank, n, threads int) (location, error) {
	if len(at.cores) < n*threads || !launch.OwnThreads(n) {
		at.cores = nil
		return at, nil
	}
	at.cores = at.cores[rank*threads : (rank+1)*threads]
	return at, host.Pin(at.core())
}

// core returns the core of the first thread, -1 if it is not pinned.
func (at location) core() int {
	if at.cores == nil {
		return -1
	}
	return at.cores[0]
}

// pinThread returns a function that pins a thread of a rank to its core, nil if the launcher has
// not placed the threads.
func (at location) pinThread(threads int) func(thread int) error {
	if threads == 1 || len(at.cores) < threads {
		return nil
	}
	return func(thread int) error { return host.Pin(at.cores[thread]) }
}

// hello is the message of every rank to all others before the first transport is opened.
type hello struct {
	Core  int         `json:"core"`            // -1 = not pinned
	Cores []int       `json:"cores,omitempty"` // of its threads, if it has several
	At    host.Core   `json:"at"`
	Host  *hostReport `json:"host,omitempty"` // of the first rank of each host
	Run   string      `json:"run,omitempty"`
	Time  time.Time   `json:"time,omitzero"`
}

// rank runs one rank of the job in one launch, on the thread that does the timing.
func (r *measurement) rank(ctx context.Context, job device.Job, at location, n round, found Sink) error {
	return at.ended(job, r.measure(ctx, job, at, n, found))
}

// processors returns how many cores ranks may use together that are pinned to some, -1 for a rank
// that is not. A rank that a launcher has bound to a core sees that core only.
func processors(job device.Job, cores []int) int {
	if slices.Contains(cores, -1) {
		return device.Processors(job)
	}
	return len(slices.Compact(slices.Sorted(slices.Values(cores))))
}

// ended returns the error of a rank whose launch has ended with err.
func (at location) ended(job device.Job, err error) error {
	return at.afterwards(job, at.interrupted(err))
}

// interrupted returns err, which wraps bench.ErrInterrupted if a signal is its cause. That is also
// so for the loss of another rank, which the same signal has ended.
func (at location) interrupted(err error) error {
	if err == nil || at.signals.Err() == nil || errors.Is(err, bench.ErrInterrupted) {
		return err
	}
	if errors.Is(err, context.Cause(at.signals)) || errors.Is(err, context.Canceled) || errors.As(err, new(*device.PeerError)) {
		return fmt.Errorf("%w (%w)", bench.ErrInterrupted, err)
	}
	return err
}

// afterwards returns the error of a rank: err, or the failure of another rank if that is why the
// launcher interrupted this one.
func (at location) afterwards(job device.Job, err error) error {
	if err == nil || at.signals.Err() == nil && !errors.Is(err, bench.ErrInterrupted) {
		return err
	}
	launched, ok := job.(interface{ Failure() error })
	if !ok {
		return err
	}
	if failed := launched.Failure(); failed != nil {
		return failed
	}
	return err
}

// measure runs one launch. Rank 0 passes the results to found.
func (r *measurement) measure(ctx context.Context, job device.Job, at location, n round, found Sink) error {
	r = r.tallied()
	mine := hello{Core: at.core(), At: host.Unpinned}
	if mine.Core >= 0 {
		mine.At = host.CoreOf(mine.Core)
	}
	if r.Threads > 1 {
		mine.Cores = at.cores
	}
	on := machines(job)
	if slices.Index(on, on[job.Rank()]) == job.Rank() {
		own := 0
		if at.launcher != "local" {
			own = device.Processors(job)
		}
		mine.Host = r.report(job.LocalSize(), own, slices.Max(on) > slices.Min(on))
		// Else the parent has tried them, or they need not work inside the host.
		if at.launcher != "local" && job.LocalSize() > 1 {
			if err := r.usable(); err != nil {
				return fmt.Errorf("rank %d: %w", job.Rank(), err)
			}
		}
		var err error
		if mine.Host.Profile, err = n.profileHere(ctx, slices.Max(on) > slices.Min(on)); err != nil {
			return err
		}
	}
	if job.Rank() == 0 {
		mine.Time = time.Now()
		mine.Run = record.NewID(mine.Time)
	}
	all, err := device.Exchange(ctx, job, mine)
	if err != nil {
		return err
	}
	adoptProfile(all[slices.Index(on, on[job.Rank()])].Host.Profile)
	var out *output
	if job.Rank() == 0 {
		out = &output{request: r, job: job, round: n, rows: found}
	}
	if err := out.stage(stageProcesses); err != nil {
		return err
	}
	if r.Coll.Table, err = n.table(r.Coll.Table); err != nil {
		return err
	}
	for _, t := range r.Transports {
		r.Coll.Table = r.Coll.Table.WithProfile(t.Driver.Name(), n.Profile)
	}
	if r.Transports, err = adopt(r.Transports, r.set, n.Settings); err != nil {
		return err
	}
	if r.startup {
		return r.startUp(ctx, job, at, all, out)
	}
	r.Plan.LocalRanks, r.Coll.Hosts = job.LocalSize(), job.Hosts()
	plan := r.Plan
	plan.Run = all[0].Run
	plan.Cases = n.order(plan.Cases)
	plan.Noise, plan.Scale = n.noise(), n.Scale
	var here []int
	for rank, h := range all {
		plan.Cores = append(plan.Cores, h.Core)
		if on[rank] == on[job.Rank()] {
			here = append(here, h.Core)
		}
	}
	plan.Processors = processors(job, here)
	if plan.PerProcess = r.PerProcess; r.RankKind == "goroutine" {
		plan.PerProcess = r.Ranks
	}
	if r.Pin == Pairs {
		r.Pin = host.ListCores(plan.Cores)
	}
	if out != nil {
		run, placement := r.run(all, on, n, plan.Cores, at.launcher)
		if at.launcher != "local" && at.launcher != "ssh" {
			run.Job.StartedBy = host.StartedBy(run.Command)
		}
		out.begin(run, placement)
		plan.Launch = r.launchFacts(n, placement)
	}
	meter, err := pair.Open(ctx, job, plan.Processors)
	if err != nil {
		return err
	}
	defer meter.Close()
	defer at.interrupts(meter)()
	if err := out.stage(stageCalibrate); err != nil {
		return err
	}
	plan.Pairs, plan.Counters, plan.PinThread = meter, counters(job), at.pinThread(r.Threads)
	for _, i := range n.transports(len(r.Transports)) {
		t := r.Transports[i]
		if r.Jobs != nil {
			err = r.applications(ctx, job, t, at, plan, meter, out)
		} else {
			err = r.over(ctx, job, t, at, n, plan, out)
		}
		if err != nil {
			break
		}
	}
	if err == nil {
		err = r.faultDetected(ctx, job)
	}
	return err
}

// machines returns the number of each rank's host. It differs from job.Hosts if the transport
// treats the ranks of each process as one host.
func machines(job device.Job) []int {
	if nested, ok := job.(interface{ Machines() []int }); ok {
		return nested.Machines()
	}
	return job.Hosts()
}

// counters returns a function that reads the counters of errors of the network of this rank's host,
// by names with that of the host; nil if another rank of the host does, or all are on one host.
func counters(job device.Job) func() map[string]uint64 {
	on := machines(job)
	if slices.Max(on) == slices.Min(on) || slices.Index(on, on[job.Rank()]) < job.Rank() {
		return nil
	}
	name := cmp.Or(device.HostName(job, job.Rank()), fmt.Sprintf("host of rank %d", job.Rank()))
	return func() map[string]uint64 {
		named := map[string]uint64{}
		for counter, n := range host.Counters() {
			named[name+" "+counter] = n
		}
		return named
	}
}

// over measures the plan over one transport.
func (r *measurement) over(ctx context.Context, job device.Job, t Transport, at location, n round, plan bench.Plan, out *output) (err error) {
	c, end, err := r.open(ctx, job, t, at, out)
	if err != nil {
		return err
	}
	defer end()
	defer func() {
		err = cmp.Or(err, c.Close())
	}()
	plan.Level, plan.Cases = t.Level, n.without(t, r.possible(c, plan.Cases))
	var sink bench.Sink
	if out != nil {
		sink = out
	}
	if err := bench.Run(ctx, c, plan, sink); err != nil {
		return err
	}
	return out.stage(stageMeasure)
}

// interrupts ends the waits of c some time after a signal has asked this process to end, if c can.
// In that time the ranks end together, which keeps the samples of the current cell; a rank that is
// stopped, or waits for something else, cannot take part. The caller calls end when it has closed
// c.
func (at location) interrupts(c any) (end func() bool) {
	waits, ok := c.(interface{ Interrupt(cause error) }) // a device.Interrupter, or a *pair.Meter
	if !ok {
		return func() bool { return false }
	}
	return context.AfterFunc(at.signals, func() {
		time.AfterFunc(signals.RanksTimeout, func() { waits.Interrupt(context.Cause(at.signals)) })
	})
}
