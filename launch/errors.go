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

// A NestedError reports that a rank has called FromEnv again or has tried to launch ranks. Without
// this check a program that does not call FromEnv would fork itself endlessly.
type NestedError struct {
	Inside string // "rank 1 of 4"
}

func (e *NestedError) Error() string {
	return fmt.Sprintf("this process already belongs to a job (as %s or a child of it): a rank cannot launch ranks", e.Inside)
}

// An EnvError reports launcher variables that are invalid or contradict this process.
type EnvError struct {
	Variable, Value, Problem string
}

func (e *EnvError) Error() string {
	if e.Value == "" {
		return fmt.Sprintf("%s in the environment %s", e.Variable, e.Problem)
	}
	return fmt.Sprintf("%s=%q in the environment %s", e.Variable, e.Value, e.Problem)
}

func checkBlob(blob []byte) error {
	if len(blob) > MaxBlob {
		return &device.ArgumentError{Name: "size of the blob", Value: len(blob), Want: fmt.Sprintf("at most %d bytes", MaxBlob)}
	}
	return nil
}

func checkRanks(n int) error {
	if n < 1 {
		return &device.ArgumentError{Name: "number of ranks", Value: n, Want: "1 or more"}
	}
	return nil
}

// A RoomError reports more ranks than a policy places on the hosts.
type RoomError struct{ Reason string }

func (e *RoomError) Error() string { return e.Reason }

// Misfit implements exit.Misfit.
func (e *RoomError) Misfit() {}
