package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"gobench/bench"
	"gobench/device"
	"gobench/internal/exit"
	"gobench/internal/experiment/tune"
	"gobench/internal/launch/detect"
	"gobench/internal/record/series"
	"gobench/launch/rendezvous"
	"gobench/record"
	"gobench/report"
)

// A Result holds what an experiment measured.
type Result struct {
	Runs   []record.Run
	Points []record.Point // one for each case, launch and state of the cores
	File   string         // the records
}

// Rows returns a row for each cell in each state of the cores: the median of its Launches, with the
// 95 % interval between them from 6 launches on (Lo and Hi are 0 with fewer). The keys of Metrics
// are in record.Metrics; gobench explain prints them (half_rtt: "half_rtt_s"). Of a nil Result
// they are nil.
func (r *Result) Rows() []record.Point {
	if r == nil {
		return nil
	}
	return series.Rows(r.Runs, r.Points, new(series.Scales))
}

// Run measures what o asks for and returns the results, which are also in the file of records.
// Transports must be registered: import gobench/transports/all, or one of its packages.
//
// Ranks that are processes execute this program again, with the same arguments. In a process that
// was started as a rank, Run measures as that rank, and ends the process: the program must come to
// the same call of Run, with the same options, in every process. A program that another launcher
// starts as several processes is a rank in the same way, but Run returns a nil Result; rank 0 has
// the results in the file of records only.
//
// A table of "gobench tune" and the choices of a profile are used where a file with them is named,
// by the option Table or the environment; Run makes none.
//
// When ctx ends, no further launch begins, ranks that are goroutines end their launch, and the
// error is bench.ErrInterrupted; the file has what was measured. Ranks that are processes complete
// theirs, which takes seconds: a signal to this process ends it immediately. Where ExitCode of the
// error is 2 an option is wrong, and nothing was measured, unless the error is an *UnmetError or a
// *FaultUndetectedError: these may come after all launches. Run does not change o.
func Run(ctx context.Context, o Options) (*Result, error) { return RunTo(ctx, o, nil) }

// RunTo is Run that also passes the results to sink, as they are measured. It does so in the
// process that returns the Result, and in rank 0 of another launcher.
func RunTo(ctx context.Context, o Options, sink Sink) (*Result, error) {
	o = o.copied()
	l := o.launch()
	if l.Command == nil {
		l.Command = os.Args
	}
	// The table of the user's settings is for gobench.
	l.Table = cmp.Or(l.Table, os.Getenv(tune.Variable), tune.None)
	setup := Setup{Stdout: io.Discard, Stderr: os.Stderr, Sink: sink}
	_, launched, _ := roundOfEnv()
	if launched {
		setup.Stdout = os.Stdout // the process that started this rank reads its results there
	}
	result, err := setup.Run(ctx, o)
	if launched {
		if reported := new(exit.ReportedError); err != nil && !errors.As(err, &reported) {
			fmt.Fprintf(os.Stderr, "%v\n", err)
		}
		os.Exit(ExitCode(err))
	}
	return result, err
}

// A Setup says where an experiment prints, and what its user has chosen.
type Setup struct {
	Counts []int // numbers of ranks, measured one after the other; nil = that of the options
	// Typed reports whether the user has set an option, by the name of its flag; otherwise the
	// hosts may choose it. nil = the transport and the number of ranks are set.
	Typed          func(flag string) bool
	Stdout, Stderr io.Writer // the table or the records; progress and warnings
	Sink           Sink      // gets the results as well, nil = none
}

// Run checks all options before anything is started, and measures for each number of ranks. Unlike
// the function Run it returns in every process, with a nil Result in a rank and after a dry run.
func (s Setup) Run(ctx context.Context, o Options) (*Result, error) {
	o = o.copied()
	l := o.launch()
	if s.Typed == nil {
		s.Typed = func(flag string) bool { return flag == "transport" || flag == "np" }
	}
	rank, launcher, err := join(ctx, l, s.Stderr)
	if err != nil {
		return nil, err
	}
	if rank != nil && l.DryRun {
		defer rank.Close()
	}
	requests, remark, err := s.check(ctx, o, rank)
	switch {
	case err != nil && l.DryRun && l.Form == report.JSON && rank == nil:
		writeMisfit(s.Stdout, err)
		fallthrough
	case err != nil:
		return nil, &exit.UsageError{Err: err}
	}
	signal.Ignore(syscall.SIGPIPE) // Write returns the error instead
	if rank == nil {
		s.remark(requests, remark)
	}
	switch {
	case l.DryRun && rank != nil && rank.Rank() != 0:
		return nil, nil
	case l.DryRun:
		if err := dryRun(requests, s.Stdout); err != nil || rank != nil || l.Form != report.Text {
			return nil, err // of JSON a sweep asks, for each of its combinations
		}
		return nil, requests[0].canStart(ctx)
	case rank != nil:
		return nil, requests[0].Rank(ctx, rank, launcher.Name, s)
	}
	return s.launches(ctx, requests)
}

// check returns one measurement for each number of ranks and, with Pairs, for each pair of cores,
// and a note on hosts that the user has not named. rank is nil in the process that the user
// started, where the measurements are also prepared.
func (s Setup) check(ctx context.Context, o Options, rank *rendezvous.Rank) (requests []*measurement, remark string, err error) {
	l := o.launch()
	counts := s.Counts
	if counts == nil {
		counts = []int{l.Ranks}
	}
	usual, remark, err := l.settle(ctx, rank, o, s.Typed)
	switch {
	case err != nil:
		return nil, "", err
	case rank != nil:
		counts = []int{rank.Size() * l.PerProcess()}
	case usual != nil:
		counts = usual
	}
	for _, n := range counts {
		l.Ranks = n
		request, err := check(o)
		if err != nil {
			return nil, "", err
		}
		each := []*measurement{request}
		if rank == nil {
			if each, err = request.each(); err != nil {
				return nil, "", err
			}
		}
		requests = append(requests, each...)
	}
	for _, request := range requests {
		if rank != nil {
			break
		}
		if err := request.prepare(); err != nil {
			return nil, "", err
		}
	}
	return requests, remark, nil
}

// remark prints the lines about options that are without effect, each once.
func (s Setup) remark(requests []*measurement, remark string) {
	told := map[string]bool{"": true}
	tell := func(line string) {
		if !told[line] {
			told[line] = true
			fmt.Fprintf(s.Stderr, "gobench: %s\n", line)
		}
	}
	for _, request := range requests {
		for _, line := range request.remarks() {
			tell(line)
		}
	}
	tell(remark)
}

// launches runs the launches of checked measurements.
func (s Setup) launches(ctx context.Context, requests []*measurement) (*Result, error) {
	c, err := newCampaign(ctx, requests, s)
	if err == nil {
		err = c.Connect(ctx)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, bench.ErrInterrupted
	case err != nil:
		return nil, err
	}
	defer c.Close()
	if requests[0].RankKind == "goroutine" {
		err = c.Goroutines(ctx)
	} else {
		err = c.Processes(ctx)
	}
	return &Result{Runs: c.runs, Points: c.points, File: c.path}, err
}

// join makes this process a rank, if it was started as one, and returns its launcher. The flags
// take precedence over the environment. A transport whose library has its own launcher joins the
// job of that launcher.
func join(ctx context.Context, l *Launch, stderr io.Writer) (*rendezvous.Rank, detect.Launcher, error) {
	if err := l.Meeting.Check(); err != nil {
		return nil, detect.Launcher{}, &exit.UsageError{Err: err}
	}
	l.Meeting.Set()
	launcher := detect.FindLauncher() // before Join, which removes the variables that it reads
	if driver := l.joiner(); driver != nil {
		rank, err := joinLibrary(ctx, driver, l.DryRun)
		return rank, launcher, err
	}
	rank, err := rendezvous.Join(ctx, stderr)
	return rank, launcher, err
}

// joinLibrary makes this process a rank of the launcher of a driver's library. If that launcher has
// not started this process, it returns nil for a dry run, and otherwise an error.
func joinLibrary(ctx context.Context, driver device.Joiner, dryRun bool) (*rendezvous.Rank, error) {
	job, err := driver.Join()
	if err != nil {
		return nil, err
	}
	if job == nil {
		if err := driver.Probe(); err != nil {
			return nil, err
		}
		if dryRun {
			return nil, nil
		}
		return nil, &exit.UsageError{Err: fmt.Errorf("transport %s needs ranks that the launcher of its library starts: run %s", driver.Name(), driver.Launch(2, "gobench ..."))}
	}
	return rendezvous.Joined(ctx, job)
}
