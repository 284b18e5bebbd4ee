package launch

import (
	"fmt"
	"os"

	"gobench/device"
	"gobench/internal/launch/fork"
)

// A Result describes the end of a job.
type Result struct {
	// ExitCode is the exit code of the job: 0 if all ranks returned 0, else that of the rank that
	// failed first; 1 if a signal ended that rank or the job was interrupted.
	ExitCode    int
	First       int           // the rank that failed first; -1 if none did
	Interrupted os.Signal     // the first signal that was forwarded before a rank had failed; nil if there was none
	Ranks       []fork.Status // by rank
}

// jobCode returns the exit code of a job whose first failed rank ended like this.
func jobCode(s fork.Status) int {
	if s.Taken() {
		return 1
	}
	return s.Code
}

// An ExitError is the failure of the rank that failed first.
type ExitError struct{ fork.Status }

func (e *ExitError) Error() string {
	if e.Lost != "" {
		return fmt.Sprintf("rank %d is lost: %v", e.Rank, e.Status)
	}
	return fmt.Sprintf("rank %d failed: %v", e.Rank, e.Status)
}

// Err returns an *ExitError for the rank that failed first, nil if none did.
func (r *Result) Err() error {
	if r.First < 0 {
		return nil
	}
	return &ExitError{r.Ranks[r.First]}
}

// A RankError is the error of one rank of a job.
type RankError struct {
	Rank int
	Err  error
}

func (e *RankError) Error() string { return fmt.Sprintf("rank %d: %v", e.Rank, e.Err) }
func (e *RankError) Unwrap() error { return e.Err }

// A PanicError is a panic of a rank that runs as a goroutine.
type PanicError struct {
	Value any
	Stack []byte // of the rank, as debug.Stack prints it
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns the value of the panic if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

func checkRanks(n int) error {
	if n < 1 {
		return &device.ArgumentError{Name: "number of ranks", Value: n, Want: "1 or more"}
	}
	return nil
}
