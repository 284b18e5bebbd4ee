package launch

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// allocationPeriod is the time between two questions to a scheduler whether a job has ended.
const allocationPeriod = 5 * time.Second

// AwaitAllocationEnd returns true when a job of a scheduler has ended, and false when ctx ends. A
// scheduler that ends a job ends the processes that it has started itself, but neither the shell of
// an allocation (salloc) nor processes that were started on its hosts by ssh. Only Slurm can be
// asked; for other schedulers it returns false at once, and so it does if squeue is not there. A
// controller that does not answer has not said that the job has ended.
func AwaitAllocationEnd(ctx context.Context, scheduler, job string) bool {
	return awaitAllocationEnd(ctx, scheduler, job, allocationPeriod)
}

func awaitAllocationEnd(ctx context.Context, scheduler, job string, period time.Duration) bool {
	if scheduler != "slurm" {
		return false
	}
	for {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(period):
		}
		out, err := exec.CommandContext(ctx, "squeue", "--noheader", "--jobs="+job, "--format=%T").CombinedOutput()
		if errors.Is(err, exec.ErrNotFound) {
			return false
		}
		if ctx.Err() == nil && slurmEnded(string(out), err) {
			return true
		}
	}
}

// slurmEnded reports whether squeue says that a job has ended: it is in no live state, or unknown,
// which it is some minutes after its end.
func slurmEnded(said string, failed error) bool {
	said = strings.TrimSpace(said)
	if failed != nil {
		return strings.Contains(said, "Invalid job id")
	}
	return !slices.ContainsFunc(strings.Fields(said), func(state string) bool {
		return slices.Contains([]string{"PENDING", "CONFIGURING", "RUNNING", "SUSPENDED", "STOPPED", "RESIZING", "REQUEUED", "SIGNALING", "STAGE_OUT"}, state)
	})
}
