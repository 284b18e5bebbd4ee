package coll

import (
	"errors"
	"fmt"

	"gobench/comm/coll/shared"
	"gobench/comm/schedule"
)

// Check says how carefully it is looked whether all ranks ask for the same.
type Check uint8

const (
	CheckFree   Check = iota // where it costs nothing: lengths of messages
	CheckStrict              // always, with messages of its own before each operation
)

// MismatchError says that the ranks of a communicator do not ask for the same operation.
type MismatchError struct {
	Kind schedule.Kind
	What string // in words: ranks and values
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("%v: the ranks do not agree: %s", e.Kind, e.What)
}

// explain adds the operation to an error that shows that ranks do not agree.
func (r *Runner) explain(c *shared.Call, err error) error {
	if err == nil {
		return nil
	}
	var length *schedule.LengthError
	if errors.As(err, &length) {
		return &MismatchError{c.Shape.Kind, fmt.Sprintf("rank %d sent %d bytes where rank %d expects %d; counts, roots or operations differ",
			length.Peer, length.Got, r.rank, length.Want)}
	}
	return err
}
