package bench

import "cmp"

// An Epoch selects how one-sided operations are completed. In each event, these calls surround
// them.
type Epoch string

const (
	EpochFlush Epoch = "flush" // MPI_Win_flush, in one MPI_Win_lock_all of all events
	EpochLock  Epoch = "lock"  // MPI_Win_lock (shared) and MPI_Win_unlock
	EpochFence Epoch = "fence" // MPI_Win_fence behind them
	EpochPSCW  Epoch = "pscw"  // MPI_Win_start and complete; the target MPI_Win_post and wait
)

// Epochs returns the names of all epochs.
func Epochs() []string {
	return []string{string(EpochFlush), string(EpochLock), string(EpochFence), string(EpochPSCW)}
}

func (c Case) epoch() Epoch { return cmp.Or(c.Epoch, EpochFlush) }
