package coll

import (
	"errors"
	"fmt"
	"strconv"

	"gobench/comm/coll/shared"
	"gobench/comm/schedule"
	"gobench/internal/nearest"
)

// Check says how carefully it is looked whether all ranks ask for the same.
type Check uint8

const (
	CheckFree   Check = iota // where it costs nothing: lengths of messages
	CheckStrict              // always, with messages of its own before each operation
)

var checkNames = []string{"free", "strict"}

func (c Check) String() string { return checkNames[c] }

// ParseCheck reads what String writes. Its error is a *nearest.UnknownError.
func ParseCheck(text string) (Check, error) {
	for i, name := range checkNames {
		if name == text {
			return Check(i), nil
		}
	}
	return 0, &nearest.UnknownError{What: "kind of check", Name: text, Known: checkNames, List: "known"}
}

// MismatchError says that the ranks of a communicator do not ask for the same
// operation. Ranks are those of the communicator.
type MismatchError struct {
	Kind   schedule.Kind // as this rank asked
	What   string        // that differs: "root", "size", "message"
	Ranks  [2]int
	Values [2]string // of it there
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("%v: %s is %s on rank %d and %s on rank %d",
		e.Kind, e.What, e.Values[0], e.Ranks[0], e.Values[1], e.Ranks[1])
}

// explain adds the operation to an error that shows that ranks do not agree.
func (r *Runner) explain(kind schedule.Kind, err error) error {
	var length *schedule.LengthError
	if errors.As(err, &length) {
		return &MismatchError{kind, "the message from rank " + strconv.Itoa(length.Peer) + " to rank " + strconv.Itoa(r.rank),
			[2]int{length.Peer, r.rank}, [2]string{size(length.Got), size(length.Want)}}
	}
	var other *shared.OperationError
	if errors.As(err, &other) {
		return &MismatchError{kind, "the operation", [2]int{other.Peer, r.rank}, [2]string{other.Got.String(), other.Want.String()}}
	}
	return err
}

// size puts a number of bytes into words.
func size(n int) string {
	if n == 1 {
		return "1 byte"
	}
	return strconv.Itoa(n) + " bytes"
}
