package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"gobench/cmd/gobench/measure"
	"gobench/internal/exit"
	"gobench/launch"
)

// carryOut does what a verb that measures asks for. The same command line runs
// in the process that was started, which checks it and starts the ranks, and
// in every rank.
func carryOut(cmd *cobra.Command, asked measure.Asked) error {
	return carryOutEach(cmd, asked, []int{asked.Ranks})
}

// carryOutEach does it with one number of ranks after the other, after all have
// been checked. A process that was launched as a rank does it with those that there
// are.
func carryOutEach(cmd *cobra.Command, asked measure.Asked, counts []int) error {
	rank, launcher, err := join(cmd, asked)
	if err != nil {
		return err
	}
	if rank != nil {
		counts = []int{rank.Size()}
	}
	var requests []*measure.Request
	for _, n := range counts {
		asked.Ranks = n
		request, err := measure.Check(asked)
		if err != nil {
			return &exit.UsageError{Err: err}
		}
		requests = append(requests, request)
	}
	if rank == nil {
		var each []*measure.Request
		for _, request := range requests {
			list, err := request.Each()
			if err != nil {
				return &exit.UsageError{Err: err}
			}
			each = append(each, list...)
		}
		requests = each
	}
	ctx, stdout, stderr := cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr()
	signal.Ignore(syscall.SIGPIPE) // a reader who has left is an error of Write
	if rank != nil {
		ctx, stop := interruptible(ctx)
		defer stop()
		return requests[0].Rank(ctx, rank, launcher.Name, stdout, stderr)
	}
	for _, request := range requests {
		if err := request.Prepare(); err != nil {
			return &exit.UsageError{Err: err}
		}
	}
	if w := requests[0].Warning; w != nil {
		fmt.Fprintf(stderr, "gobench: %v\n", w)
	}
	for _, note := range requests[0].Notes {
		fmt.Fprintf(stderr, "gobench: %s\n", note)
	}
	if asked.DryRun {
		if asked.Pin == measure.Pairs {
			requests = requests[:1] // which tells of all
		}
		for _, request := range requests {
			if err := request.DryRun(stdout); err != nil {
				return err
			}
		}
		return nil
	}
	campaign, err := measure.NewCampaign(ctx, requests, stdout, stderr)
	if err != nil {
		return err
	}
	if err := campaign.Connect(ctx); err != nil {
		return err
	}
	defer campaign.Close()
	if asked.RankKind == "goroutine" {
		ctx, stop := interruptible(ctx)
		defer stop()
		return campaign.Goroutines(ctx)
	}
	return campaign.Processes(ctx)
}

// join makes this process a rank, if it was started as one, and says by which launcher. What was asked
// for on the command line goes before the environment.
func join(cmd *cobra.Command, asked measure.Asked) (*launch.Rank, launch.Launcher, error) {
	asked.Meeting.Set()
	launcher := launch.Detect() // before Join, which takes away what it looks at
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	rank, err := launch.Join(ctx, cmd.ErrOrStderr())
	return rank, launcher, err
}

// interruptible returns a context that ends with the first signal that asks
// the program to end. The second has its usual effect. Signals that this
// process was told to ignore, as nohup does, stay ignored.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	var heard []os.Signal
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			heard = append(heard, s)
		}
	}
	if len(heard) == 0 { // none would mean all
		return context.WithCancel(ctx)
	}
	ctx, stop := signal.NotifyContext(ctx, heard...)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
