package launch

import (
	"context"
	"fmt"
	"os"

	"gobench/internal/launch/detect"
	"gobench/internal/launch/exchange"
	"gobench/internal/launch/fork"
	"gobench/internal/launch/signals"
	"gobench/internal/launch/watch"
	"gobench/launch/outcome"
)

// Local starts the ranks of a job on this machine, each as a process that finds its place by
// rendezvous.FromEnv, and returns when all have ended. The calling process is the hub of their
// Exchange and takes no other part.
//
// SIGINT, SIGTERM and SIGHUP, unless ignored, are forwarded to every rank; a second one kills them.
// SIGTSTP stops the ranks, then this process, and they continue when it does; the time-outs of Spec
// do not run meanwhile. If a rank fails or ctx ends, Local ends the others as described by Spec.
// When Local returns, no process, goroutine or descriptor of the job is left; if this process is
// killed, the kernel kills the ranks.
//
// Local returns an error if the job could not be started (no rank is left then), if ctx ended it
// (with the Result), or if output could not be written. Failed ranks are reported by Result.Err.
func Local(ctx context.Context, spec Spec) (*outcome.Result, error) {
	spec, err := spec.Prepare(ctx)
	if err != nil {
		return nil, err
	}
	out, err := fork.OpenOutputs(spec.Stdout, spec.Stderr)
	if err != nil {
		return nil, fmt.Errorf("no pipe for the output of the ranks: %w", err)
	}
	result, err := run(ctx, spec, out)
	if e := out.End(fork.OutputTimeout); e != nil && err == nil {
		err = fmt.Errorf("output of the ranks is lost: %w", e)
	}
	return result, err
}

// Prepare returns the Spec with defaults, or the error why no job can be started.
func (s Spec) Prepare(ctx context.Context) (Spec, error) {
	if err := detect.CheckNested(); err != nil {
		return s, err
	}
	if ctx.Err() != nil {
		return s, watch.Stopped(ctx)
	}
	return s.withDefaults()
}

func run(ctx context.Context, spec Spec, out *fork.Outputs) (*outcome.Result, error) {
	defer out.Started()
	ends := signals.NotifyEnds() // before the first fork: from here on no signal may end only the launcher
	defer ends.End()
	stops := signals.NotifyStops()
	defer stops.End()
	seats := fork.Seats(exchange.AllRanks(spec.Ranks), spec.Cores, spec.Threads)
	m := exchange.NewMeeting(exchange.AllRanks(spec.Ranks), nil)
	if spec.Notice != nil {
		defer m.Remind(func(missing []int) { spec.Notice(exchange.MissingLine(missing, spec.Ranks, "")) })()
	}
	ended := make(chan outcome.Status, spec.Ranks)
	ranks, failure := fork.Start(spec.executable(), seats, [3]*os.File{spec.Stdin, out.Files[0], out.Files[1]}, m, stops, ended)
	if ranks == nil {
		return nil, failure
	}
	defer ranks.End()
	out.Started()
	if failure == nil && spec.Started != nil {
		spec.Started()
	}

	return watch.New(watch.Job{
		Ranks: spec.Ranks, Linger: spec.Linger, Grace: spec.Grace, Meeting: m, Stops: stops,
		Groups: []watch.Group{ranks}, Living: ranks.Count(), Ended: ended, Failure: failure,
	}).Run(ctx, ends)
}
