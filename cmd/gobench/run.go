package main

import (
	"context"
	"os"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"gobench/experiment"
	"gobench/internal/cli"
	"gobench/internal/exit"
	"gobench/internal/launch/child"
	"gobench/internal/launch/detect"
	"gobench/internal/launch/signals"
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
	l.Quiet = cli.Quiet(cmd)
	ctx, stop := interruptible(cmd)
	defer stop()
	_, err = experiment.Setup{Counts: counts, Typed: cmd.Flags().Changed, Stdout: cmd.OutOrStdout(), Stderr: cli.Notices(cmd)}.Run(ctx, options)
	return err
}

// interruptible returns the context of a verb that measures. It ends with the first signal that
// asks this process to end, and after --timeout as by SIGTERM. The returned function ends both.
func interruptible(cmd *cobra.Command) (context.Context, func()) {
	ctx, stop := signals.Context(cmd.Context())
	timeout, _ := cmd.Flags().GetDuration("timeout") // 0 without this flag
	if launch, _ := child.Replicate(); timeout <= 0 || launch > 0 {
		return ctx, stop
	}
	timer := time.AfterFunc(timeout, func() {
		cmd.PrintErrf("gobench: the %v of --timeout are over\n", timeout)
		syscall.Kill(os.Getpid(), syscall.SIGTERM)
	})
	return ctx, func() {
		timer.Stop()
		stop()
	}
}

// checkNoLauncher returns an error if a launcher has started this process as one of several, for a
// verb that starts the ranks of its launches itself.
func checkNoLauncher(verb string) error {
	l := detect.FindLauncher()
	if l.Name == "singleton" || l.Name == "local" {
		return nil
	}
	return cli.Usagef("gobench %s starts the ranks of its launches itself, and this process is one of several of another launcher (%s, by %s): start gobench %[1]s without it", verb, l.About, l.Evidence)
}
