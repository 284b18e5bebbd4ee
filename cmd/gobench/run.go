package main

import (
	"io"
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
	if l.Timeout < 0 {
		return cli.Usagef("--timeout is %v, must not be negative", l.Timeout)
	}
	ctx, stop := signals.Context(cmd.Context())
	defer stop()
	if launch, _ := child.Replicate(); l.Timeout > 0 && launch == 0 {
		defer time.AfterFunc(l.Timeout, func() {
			cmd.PrintErrf("gobench: the %v of --timeout are over\n", l.Timeout)
			syscall.Kill(os.Getpid(), syscall.SIGTERM)
		}).Stop()
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
	return cli.Usagef("gobench %s starts the ranks of its launches itself, and this process is one of several of another launcher (%s, by %s): start gobench %[1]s without it", verb, l.About, l.Evidence)
}
