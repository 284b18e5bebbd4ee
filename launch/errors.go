package launch

import (
	"fmt"

	"gobench/device"
)

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
