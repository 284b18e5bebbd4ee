package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"gobench/bench"
	"gobench/cmd/gobench/measure"
	"gobench/device"
	"gobench/internal/exit"
	"gobench/launch"
	"gobench/report"
)

// measures annotates verbs that measure, with the name of their positional arguments.
const measures = "measures"

// runCounts runs a verb that measures, for each number of ranks in counts, after all of them have
// been checked. The same command line runs in the process that the user started, which checks it
// and starts the ranks, and in every rank. A process that was launched as a rank takes the number
// of ranks from its job. l is the part of options that holds the number of ranks and the format.
func runCounts(cmd *cobra.Command, options measure.Options, l *measure.Launch, format formatFlags, counts []int) (err error) {
	if l.Form, err = format.form(); err != nil {
		return &exit.UsageError{Err: err}
	}
	rank, launcher, err := join(cmd, l)
	if err != nil {
		return err
	}
	usual, note, err := l.Settle(cmd.Context(), rank, options, cmd.Flags().Changed)
	switch {
	case err != nil:
		return &exit.UsageError{Err: err}
	case rank != nil:
		counts = []int{rank.Size() * l.PerProcess()}
	case usual != nil:
		counts = usual
	}
	refuse := func(err error) error {
		if l.DryRun && l.Form == report.JSON && rank == nil {
			measure.WriteMisfit(cmd.OutOrStdout(), err)
		}
		return &exit.UsageError{Err: err}
	}
	var requests []*measure.Measurement
	for _, n := range counts {
		l.Ranks = n
		request, err := measure.Check(options)
		if err != nil {
			return refuse(err)
		}
		requests = append(requests, request)
	}
	if rank == nil {
		var each []*measure.Measurement
		for _, request := range requests {
			list, err := request.Each()
			if err != nil {
				return refuse(err)
			}
			each = append(each, list...)
		}
		requests = each
	}
	ctx, stdout, stderr := cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr()
	signal.Ignore(syscall.SIGPIPE) // Write returns the error instead
	if rank != nil && l.DryRun {
		defer rank.Close()
		if rank.Rank() != 0 {
			return nil
		}
		return requests[0].DryRun(stdout)
	}
	if rank != nil {
		ctx, stop := interruptible(ctx)
		defer stop()
		return requests[0].Rank(ctx, rank, launcher.Name, stdout, stderr)
	}
	for _, request := range requests {
		if err := request.Prepare(); err != nil {
			return refuse(err)
		}
	}
	told := map[string]bool{"": true}
	tell := func(line string) {
		if !told[line] {
			told[line] = true
			fmt.Fprintf(stderr, "gobench: %s\n", line)
		}
	}
	for _, request := range requests {
		for _, line := range request.Remarks() {
			tell(line)
		}
	}
	tell(note)
	if l.DryRun {
		if l.Pin == measure.Pairs {
			requests = requests[:1] // its plan counts all pairs
		}
		if l.Form == report.Text { // else a sweep asks, for each of its combinations
			if err := requests[0].Look(ctx); err != nil {
				for line := range strings.SplitSeq(err.Error(), "\n") {
					tell(line)
				}
			}
		}
		for _, request := range requests {
			if err := request.DryRun(stdout); err != nil {
				return err
			}
		}
		return nil
	}
	ctx, stop := interruptible(ctx)
	defer stop()
	campaign, err := measure.NewCampaign(ctx, requests, stdout, stderr)
	if err == nil {
		err = campaign.Connect(ctx)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return bench.ErrInterrupted
	case err != nil:
		return err
	}
	defer campaign.Close()
	if l.RankKind == "goroutine" {
		return campaign.Goroutines(ctx)
	}
	return campaign.Processes(ctx)
}

// join makes this process a rank, if it was started as one, and returns its launcher. The flags
// take precedence over the environment. A transport whose library has its own launcher joins the
// job of that launcher.
func join(cmd *cobra.Command, l *measure.Launch) (*launch.Rank, launch.Launcher, error) {
	if err := l.Meeting.Check(); err != nil {
		return nil, launch.Launcher{}, &exit.UsageError{Err: err}
	}
	l.Meeting.Set()
	launcher := launch.Detect() // before Join, which removes the variables that it reads
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	if driver := l.Joiner(); driver != nil {
		rank, err := joinLibrary(ctx, driver, l.DryRun)
		return rank, launcher, err
	}
	rank, err := launch.Join(ctx, cmd.ErrOrStderr())
	return rank, launcher, err
}

// unaccompanied returns an error if a launcher has started this process as one of several, for a
// verb that starts the ranks of its launches itself.
func unaccompanied(verb string) error {
	l := launch.Detect()
	if l.Name == "singleton" || l.Name == "local" {
		return nil
	}
	return &exit.UsageError{Err: fmt.Errorf("gobench %s starts the ranks of its launches itself, and this process is one of several of another launcher (%s, by %s): start gobench %[1]s without it", verb, l.About, l.Evidence)}
}

// joinLibrary makes this process a rank of the launcher of a driver's library. If that launcher has
// not started this process, it returns nil for a dry run, and otherwise an error.
func joinLibrary(ctx context.Context, driver device.Joiner, dryRun bool) (*launch.Rank, error) {
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
	return launch.Joined(ctx, job)
}

// interruptible returns a context that ends with the first signal that asks the program to end. The
// second signal has its usual effect. Signals that this process was started to ignore, as by nohup,
// remain ignored. The program ends launch.LastPatience after the first signal, whatever it waits
// for: records are written as they are measured.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	signals := launch.EndSignals()
	if len(signals) == 0 { // an empty list would mean all
		return context.WithCancel(ctx)
	}
	ctx, stop := signal.NotifyContext(ctx, signals...)
	returned := make(chan struct{})
	unwatch := context.AfterFunc(ctx, func() {
		stop()
		select {
		case <-returned:
		case <-time.After(launch.LastPatience):
			endAtOnce()
		}
	})
	return ctx, func() {
		if !unwatch() {
			close(returned)
		}
		stop()
	}
}

// endAtOnce ends the program, whose message may not find a reader.
func endAtOnce() {
	go fmt.Fprintf(os.Stderr, "gobench: interrupted, and ended after %v although something had not ended; the records of complete cells are in their file\n", launch.LastPatience)
	time.Sleep(50 * time.Millisecond)
	os.Exit(exit.Failed)
}
