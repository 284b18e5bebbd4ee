package coll

import (
	"errors"
	"fmt"
	"strconv"

	"gobench/comm/schedule"
	"gobench/internal/comm/coll/shared"
	"gobench/internal/human"
)

// Check selects how thoroughly ranks verify that they call the same operation with matching
// arguments.
type Check uint8

const (
	CheckFree   Check = iota // checks without cost: the lengths of received messages
	CheckStrict              // all arguments, by messages of its own before each operation
)

func (c Check) String() string { return [...]string{"free", "strict"}[c] }

// A MismatchError reports that two ranks of a communicator called different operations, or the same
// one with arguments that disagree.
type MismatchError struct {
	Kind   schedule.Kind // of the operation that this rank called
	What   string        // the argument that differs: "root", "the vector", "the operation"
	Ranks  [2]int        // ranks of the communicator
	Values [2]string     // the values of the argument on these ranks
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("%v: %s is %s on rank %d and %s on rank %d",
		e.Kind, e.What, e.Values[0], e.Ranks[0], e.Values[1], e.Ranks[1])
}

// explain records that the operation failed and converts errors that indicate a mismatch to a
// *MismatchError.
func (r *Runner) explain(kind schedule.Kind, err error) error {
	r.failed = true
	var length *schedule.LengthError
	if errors.As(err, &length) {
		return &MismatchError{kind, "the message from rank " + strconv.Itoa(length.Peer) + " to rank " + strconv.Itoa(r.rank),
			[2]int{length.Peer, r.rank}, [2]string{byteCount(length.Got), byteCount(length.Want)}}
	}
	var other *shared.OperationError
	if errors.As(err, &other) {
		return &MismatchError{kind, "the operation", [2]int{other.Peer, r.rank}, [2]string{other.Got.String(), other.Want.String()}}
	}
	return err
}

// byteCount formats a number of bytes for people.
func byteCount(n int) string { return human.Count(n, "byte", "bytes") }
