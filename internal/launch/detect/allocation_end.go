package detect

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// allocationPeriod is the time between the first two questions to a scheduler whether a job has
// ended, and maxAllocation bounds those after it: many commands may ask one controller.
const (
	allocationPeriod = 5 * time.Second
	maxAllocation    = 20 * time.Second
)

// nextPeriod returns the time to the question after the next.
func nextPeriod(period time.Duration) time.Duration { return min(period*5/4, maxAllocation) }

// AwaitAllocationEnd returns true when a job of a scheduler has ended, and false when ctx ends. A
// scheduler that ends a job ends the processes that it has started itself, but neither the shell of
// an allocation (salloc) nor processes that were started on its hosts by ssh. Only Slurm can be
// asked; for other schedulers it returns false immediately, and so it does if squeue is not there,
// or reports the end of the job before it has reported that the job is live: the job's identifier
// is then left over in the environment, or that of another cluster. A controller that does not
// answer has not reported the end.
func AwaitAllocationEnd(ctx context.Context, scheduler, job string) bool {
	return awaitAllocationEnd(ctx, scheduler, job, allocationPeriod)
}

func awaitAllocationEnd(ctx context.Context, scheduler, job string, period time.Duration) bool {
	if scheduler != "slurm" {
		return false
	}
	seen := false // live
	for {
		out, err := exec.CommandContext(ctx, "squeue", "--noheader", "--jobs="+job, "--format=%T").CombinedOutput()
		if errors.Is(err, exec.ErrNotFound) || ctx.Err() != nil {
			return false
		}
		live, ended := slurmAnswer(string(out), err)
		if seen = seen || live; ended {
			return seen
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(period):
			period = nextPeriod(period)
		}
	}
}

// slurmAnswer returns what squeue says about a job: it is in a live state, or has ended, which it
// also has if it is unknown, as it is some minutes after its end. Neither is so if squeue has no
// answer.
func slurmAnswer(said string, failed error) (live, ended bool) {
	said = strings.TrimSpace(said)
	if failed != nil {
		return false, strings.Contains(said, "Invalid job id")
	}
	live = slices.ContainsFunc(strings.Fields(said), func(state string) bool {
		return slices.Contains([]string{"PENDING", "CONFIGURING", "RUNNING", "SUSPENDED", "STOPPED", "RESIZING", "REQUEUED", "SIGNALING", "STAGE_OUT"}, state)
	})
	return live, !live
}
