package launch

import (
	"fmt"

	"gobench/device"
)

// RankError is the error with which one rank of a job ended.
type RankError struct {
	Rank int
	Err  error
}

func (e *RankError) Error() string { return fmt.Sprintf("rank %d: %v", e.Rank, e.Err) }
func (e *RankError) Unwrap() error { return e.Err }

// PanicError is a panic of a rank that runs as a goroutine.
type PanicError struct {
	Value any
	Stack []byte // of the rank, as debug.Stack prints it
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns the value of the panic where it was an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// NestedError is the error of a process inside a job that tried to become a rank again or to
// launch ranks of its own. Without this check a program that forgets to call
// FromEnv would fork itself for ever.
type NestedError struct {
	Inside string // "rank 1 of 4"
}

func (e *NestedError) Error() string {
	return fmt.Sprintf("this process already belongs to a job (as %s or a child of it): a rank cannot launch ranks", e.Inside)
}

// EnvError is the error of an environment that announces a rank which this process cannot be.
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
