package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"gobench/device"
	"gobench/internal/collect"
	"gobench/internal/launch/detect"
	"gobench/internal/launch/host"
	"gobench/internal/launch/remote"
	"gobench/internal/remedy"
	"gobench/internal/terminal"
	"gobench/launch"
	"gobench/launch/outcome"
	"gobench/nearest"
)

// prepare checks, before anything is started, that this machine can run the measurement: it places
// the ranks on cores and compares the required memory with the available memory. Its errors are
// usage errors.
func (r *measurement) prepare() error {
	if err := r.checkExports(); err != nil {
		return err
	}
	if r.Hosts != nil { // each host places its ranks when it is connected
		if r.Pin == "" {
			return nil
		}
		return r.pinError(host.CheckPolicy(r.Pin))
	}
	if err := r.Plan.CheckMemory(r.Ranks, r.Ranks); err != nil {
		return err
	}
	if err := r.checkMemory(); err != nil {
		return err
	}
	cores, err := host.ChooseCores(r.Ranks*r.Threads, r.Pin)
	if err != nil {
		return r.pinError(err)
	}
	r.Cores = cores
	return nil
}

// checkExports returns an error if an export cannot be written.
func (r *measurement) checkExports() error {
	var records []string
	if !r.NoRecords {
		records = []string{r.file()}
	}
	for _, e := range r.Exports {
		if err := e.CheckFile(records...); err != nil {
			return err
		}
	}
	return nil
}

// pinError returns an error of --pin for people; nil if err is nil.
func (r *measurement) pinError(err error) error {
	if err == nil {
		return nil
	}
	if errors.As(err, new(*host.PolicyError)) {
		return &nearest.UnknownError{What: "place of ranks", Name: r.Pin, Known: []string{host.Near, host.Far, host.NearNIC, host.Rails, host.None}, List: "want a list of cores such as 0,2, or one of"}
	}
	return remedy.Errorf("%v: %w", remedy.Named("pin"), err)
}

// Connect starts the agents on the hosts of the command, if it has any. Close ends them. With an
// error the file of records is closed, and removed if it is new.
func (c *campaign) Connect(ctx context.Context) error {
	r := c.requests[0]
	if r.Hosts == nil {
		return nil
	}
	begun := time.Now()
	defer func() { c.connected = time.Since(begun) }()
	var err error
	how := r.on.remote()
	how.Notice = c.notice
	c.cluster, err = remote.Connect(ctx, r.Hosts, how)
	if err != nil {
		c.file.Close() // it holds no row of this command
		return err
	}
	ctx, c.unwatch = context.WithCancel(ctx)
	if a := r.on.allocation; a != nil {
		go c.watchAllocation(ctx, a.Scheduler, a.Job)
	}
	return nil
}

// watchAllocation ends the command as a signal does when the job of its hosts has ended, because
// their next user may have them already.
func (c *campaign) watchAllocation(ctx context.Context, scheduler, job string) {
	if detect.AwaitAllocationEnd(ctx, scheduler, job) {
		c.notice(fmt.Sprintf("job %s of %s has ended, and with it the allocation of the hosts", job, scheduler))
		syscall.Kill(os.Getpid(), syscall.SIGTERM)
	}
}

// notice prints a line to standard error, such as one about missing hosts or ranks, which may have
// the words of another host. Any goroutine may call it.
func (c *campaign) notice(line string) {
	c.screen.print(c.stderr, fmt.Sprintf("gobench: %s\n", terminal.Plain(line)))
}

// Close ends the agents.
func (c *campaign) Close() {
	if c.cluster != nil {
		c.unwatch()
		c.cluster.Close()
	}
}

// start starts the ranks of one launch, here or on the hosts of the command.
func (c *campaign) start(ctx context.Context, r *measurement, spec launch.Spec) (*outcome.Result, error) {
	spec.Threads = r.Threads * r.PerProcess
	if c.cluster == nil {
		spec.Cores = r.Cores
		return launch.Local(ctx, spec)
	}
	spec.Map, spec.Pin, spec.Forward = r.on.Map, r.policy(true), r.on.Env
	return c.cluster.Run(ctx, spec)
}

// processes starts the ranks of one launch as processes and waits for them.
func (c *campaign) processes(ctx context.Context, r *measurement, n round) error {
	merged := &stderrMux{w: c.stderr, screen: &c.screen}
	defer merged.close()
	out := &receiver{to: c}
	var start *starting
	if r.startup {
		start = &starting{campaign: c}
		out = &receiver{to: start}
	}
	result, err := c.start(ctx, r, launch.Spec{
		Ranks: r.processes(), Args: r.Command[1:], Env: append(os.Environ(), n.variable()),
		Stdout: out, Stderr: merged, Notice: c.notice, Started: func() { c.timeline.end(stageFork, 0) },
	})
	if err = cmp.Or(out.err, err); err != nil {
		return err
	}
	if result.ExitCode == 0 {
		if start != nil {
			c.timeline.end(stageEnd, 0)
			return start.finish()
		}
		return nil
	}
	return merged.failure(result)
}

func (r *measurement) file() string {
	if r.File != "" {
		return r.File
	}
	return DefaultFile()
}

// Goroutines runs the ranks of one launch in this process.
func (r *measurement) Goroutines(ctx context.Context, n round, found Sink) error {
	at := location{r.Cores, "local", ctx}
	var own error // of rank 0, which usually has the most precise error
	err := launch.Goroutines(ctx, r.Ranks, func(ctx context.Context, job device.Job) error {
		at, err := at.part(job.Rank(), r.Ranks, r.Threads)
		if err != nil {
			return err
		}
		err = r.rank(ctx, job, at, n, found)
		if job.Rank() == 0 {
			own = err
		}
		return err
	})
	return better(own, err)
}

// better returns the error of a job of goroutines: that of rank 0, unless it is only a consequence
// of the failure of another rank.
func better(own, first error) error {
	if own == nil {
		return first
	}
	var peer *device.PeerError
	var other *launch.RankError
	consequence := errors.As(own, &peer) || errors.Is(own, context.Canceled)
	if consequence && errors.As(first, &other) && other.Rank != 0 && !errors.As(other.Err, &peer) {
		return first
	}
	return own
}

// Pairs is the value of --pin that places two ranks on each pair of cores in turn.
const Pairs = "pairs"

// each returns r itself or, with Pairs, one measurement for each pair of cores that this process
// may use.
func (r *measurement) each() ([]*measurement, error) {
	if r.Pin != Pairs {
		return []*measurement{r}, nil
	}
	allowed, err := host.AllowedCores()
	if err != nil {
		return nil, err
	}
	pairs := pairsOf(allowed)
	if len(pairs) == 0 {
		return nil, remedy.Errorf("%v needs two cores, and this process may use one", remedy.Set("pin", "pairs"))
	}
	var list []*measurement
	for _, p := range pairs {
		one := *r
		one.Pin, one.pairs = host.ListCores(p[:]), len(pairs)
		list = append(list, &one)
	}
	return list, nil
}

// pairsOf returns all pairs of cores, the lower one first.
func pairsOf(cores []int) [][2]int {
	var pairs [][2]int
	for i, a := range cores {
		pairs = append(pairs, collect.Each(cores[i+1:], func(b int) [2]int { return [2]int{a, b} })...)
	}
	return pairs
}
