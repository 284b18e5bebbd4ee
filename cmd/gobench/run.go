package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"gobench/experiment"
	"gobench/internal/exit"
	"gobench/launch/child"
	"gobench/launch/detect"
	"gobench/launch/signals"
	"gobench/report"
)

// measures annotates verbs that measure, with the name of their positional arguments.
const measures = "measures"

// runCounts runs a verb that measures, for each number of ranks in counts. The same command line
// runs in the process that the user started, and in every rank. l is the part of options that holds
// the format.
func runCounts(cmd *cobra.Command, options experiment.Options, l *experiment.Launch, format formatFlags, counts []int) (err error) {
	if l.Form, err = format.form(); err != nil {
		return &exit.UsageError{Err: err}
	}
	// A launch of a sweep sends its records, and a dry run has one form of JSON.
	if launch, _ := child.Replicate(); l.Form == report.Rows && (launch > 0 || l.DryRun) {
		l.Form = report.JSON
	}
	if l.Timeout < 0 {
		return &exit.UsageError{Err: fmt.Errorf("--timeout is %v, must not be negative", l.Timeout)}
	}
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	if launch, _ := child.Replicate(); l.Timeout > 0 && launch == 0 {
		defer time.AfterFunc(l.Timeout, func() { syscall.Kill(os.Getpid(), syscall.SIGTERM) }).Stop()
	}
	setup := experiment.Setup{Counts: counts, Typed: cmd.Flags().Changed, Stdout: cmd.OutOrStdout(), Stderr: cmd.ErrOrStderr()}
	if l.Quiet {
		setup.Stderr = io.Discard
	}
	_, err = setup.Run(ctx, options)
	return err
}

// unaccompanied returns an error if a launcher has started this process as one of several, for a
// verb that starts the ranks of its launches itself.
func unaccompanied(verb string) error {
	l := detect.FindLauncher()
	if l.Name == "singleton" || l.Name == "local" {
		return nil
	}
	return &exit.UsageError{Err: fmt.Errorf("gobench %s starts the ranks of its launches itself, and this process is one of several of another launcher (%s, by %s): start gobench %[1]s without it", verb, l.About, l.Evidence)}
}

// interruptible returns a context that ends with the first signal that asks the program to end. The
// second signal has its usual effect. Signals that this process was started to ignore, as by nohup,
// remain ignored. The program ends signals.LastTimeout after the first signal, whatever it waits
// for: records are written as they are measured.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	list := signals.EndSignals()
	if len(list) == 0 { // an empty list would mean all
		return context.WithCancel(ctx)
	}
	ctx, stop := signal.NotifyContext(ctx, list...)
	returned := make(chan struct{})
	unwatch := context.AfterFunc(ctx, func() {
		stop()
		select {
		case <-returned:
		case <-time.After(signals.LastTimeout):
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
	go fmt.Fprintf(os.Stderr, "gobench: interrupted, and ended after %v although something had not ended; the records of complete cells are in their file\n", signals.LastTimeout)
	time.Sleep(50 * time.Millisecond)
	os.Exit(exit.Failed)
}
