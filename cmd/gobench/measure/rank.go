package measure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"gobench/bench"
	"gobench/bench/record"
	"gobench/device"
	"gobench/launch"
)

// Rank is what a process does that was launched as a rank. Rank 0 prints and
// writes the records, the others only speak when they fail on their own.
func (r *Request) Rank(ctx context.Context, rank *launch.Rank, launcher string, stdout, stderr io.Writer) error {
	defer rank.Close()
	if err := rank.Pin(); err != nil {
		return err
	}
	core := -1
	if c, pinned := rank.Core(); pinned {
		core = c
	}
	err := r.rank(ctx, rank, place{core, launcher, ctx}, stdout, stderr)
	if rank.Rank() != 0 && err != nil && shared(err) {
		return &RanksError{Code: codeOf(err)}
	}
	return err
}

func codeOf(err error) int {
	if DataWrong(err) {
		return 3
	}
	if unseen, ok := errors.AsType[*UnseenError](err); ok {
		return unseen.Code()
	}
	return 1
}

// place is where a rank runs, and why.
type place struct {
	core     int // -1 = not pinned
	launcher string
	signals  context.Context // ends when a signal asks this process to end
}

// hello is what every rank tells all others before the first transport is
// open.
type hello struct {
	Core   int       `json:"core"` // -1 = not pinned
	Run    string    `json:"run,omitempty"`
	Time   time.Time `json:"time,omitzero"`
	Failed bool      `json:"failed,omitempty"` // this rank cannot begin
}

// rank is one rank of the job, on the thread that does the timing.
func (r *Request) rank(ctx context.Context, job device.Job, at place, stdout, stderr io.Writer) error {
	err := afterwards(job, at, r.measure(ctx, job, at, stdout, stderr))
	if err != nil && at.signals.Err() != nil && (errors.Is(err, context.Cause(ctx)) || errors.Is(err, context.Canceled)) {
		return fmt.Errorf("%w (%w)", bench.ErrInterrupted, err) // before the first cell
	}
	return err
}

// afterwards is what a rank says that was interrupted: err, unless the launcher has asked it to end
// because another rank failed, for which it had to wait where it computed only.
func afterwards(job device.Job, at place, err error) error {
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

func (r *Request) measure(ctx context.Context, job device.Job, at place, stdout, stderr io.Writer) error {
	r = r.tallied()
	mine := hello{Core: at.core}
	var out *output
	var sink bench.Sink
	var failure error
	if job.Rank() == 0 {
		mine.Time = time.Now()
		mine.Run = record.NewID(mine.Time)
		out, failure = r.newOutput(ctx, stdout, stderr)
		mine.Failed = failure != nil
		sink = out
	}
	all, err := greet(ctx, job, mine)
	if failure != nil {
		return failure
	}
	if err != nil {
		return err
	}
	plan := r.Plan
	plan.Run = all[0].Run
	for _, h := range all {
		plan.Cores = append(plan.Cores, h.Core)
	}
	if out != nil {
		run, placed := r.run(all[0], plan.Cores, at.launcher)
		out.begin(run, placed)
	}
	for _, t := range r.Transports {
		if r.Cells != nil {
			err = r.applications(ctx, job, t, at, all[0].Run, out)
		} else {
			err = r.over(ctx, job, t, plan, sink)
		}
		if err != nil {
			break
		}
	}
	if err == nil {
		err = r.unseen(ctx, job)
	}
	err = afterwards(job, at, err)
	if out != nil {
		return out.end(err)
	}
	return err
}

func greet(ctx context.Context, job device.Job, mine hello) ([]hello, error) {
	all, err := exchange(ctx, job, mine)
	if err != nil {
		return nil, err
	}
	for _, h := range all {
		if h.Failed {
			return nil, errElsewhere
		}
	}
	return all, nil
}

// exchange gives every rank what all say, by rank.
func exchange[T any](ctx context.Context, job device.Job, mine T) ([]T, error) {
	blob, err := json.Marshal(mine)
	if err != nil {
		return nil, err
	}
	blobs, err := job.Exchange(ctx, blob)
	if err != nil {
		return nil, err
	}
	all := make([]T, len(blobs))
	for i, b := range blobs {
		if err := json.Unmarshal(b, &all[i]); err != nil {
			return nil, fmt.Errorf("rank %d says who it is in words nobody understands: %w", i, err)
		}
	}
	return all, nil
}

// over measures the plan over one transport.
func (r *Request) over(ctx context.Context, job device.Job, t Transport, plan bench.Plan, sink bench.Sink) (err error) {
	c, err := r.open(ctx, job, t)
	if err != nil {
		return err
	}
	defer func() {
		if e := c.Close(); err == nil {
			err = e
		}
	}()
	if plan.Cells, err = r.possible(c, plan.Cells); err != nil {
		return err
	}
	return bench.Run(ctx, c, plan, sink)
}
