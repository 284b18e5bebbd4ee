package bench

import (
	"errors"
	"fmt"

	"gobench/internal/human"
	"gobench/internal/remedy"
)

// ErrInterrupted is returned by Run on all ranks when the context of any of them has ended. Points
// measured before are valid.
var ErrInterrupted = errors.New("interrupted before all cells were measured")

// A DataError reports received data that differs from what was sent. The case has no number and no
// later case is measured, because times of a transport that corrupts data are meaningless. Every
// rank returns the same error.
type DataError struct {
	Bench     string `json:"bench"`
	Size      int    `json:"size"`   // of the message, bytes
	Rank      int    `json:"rank"`   // the receiver, which found it
	Source    int    `json:"source"` // the sender; below 0 if the data is a result of all ranks
	Offset    int    `json:"offset"` // of the first wrong byte
	Want      byte   `json:"want"`
	Got       byte   `json:"got"`
	Iteration uint64 `json:"iteration"`           // number of the message pattern within the run
	Control   bool   `json:"control"`             // it was a control message of the runner
	Excess    bool   `json:"excess"`              // it was longer than Size; Offset, Want and Got are not set
	Missing   bool   `json:"missing"`             // nothing was written to the receive buffer
	Undecoded string `json:"undecoded,omitempty"` // the error of its Codec; Offset, Want and Got are not set
}

func (e *DataError) Error() string {
	switch {
	case e.Excess:
		return fmt.Sprintf("%s: wrong data: a message from rank %d to rank %d is longer than the %d bytes sent", e.Bench, e.Source, e.Rank, e.Size)
	case e.Missing:
		return fmt.Sprintf("%s: wrong data: rank %d has a receive buffer of %d bytes for messages from rank %d, and nothing was written to it (iteration %d)",
			e.Bench, e.Rank, e.Size, e.Source, e.Iteration)
	}
	where := fmt.Sprintf("a message of %d bytes from rank %d to rank %d", e.Size, e.Source, e.Rank)
	switch {
	case e.Undecoded != "":
		return fmt.Sprintf("%s: wrong data: %s cannot be decoded: %s (iteration %d)", e.Bench, where, e.Undecoded, e.Iteration)
	case e.Source < 0:
		where = fmt.Sprintf("the result of %d bytes on rank %d", e.Size, e.Rank)
	case e.Control:
		where = fmt.Sprintf("a control message (%d bytes) from rank %d to rank %d", e.Size, e.Source, e.Rank)
	}
	return fmt.Sprintf("%s: wrong data: %s has byte %#02x at offset %d, want %#02x (iteration %d)", e.Bench, where, e.Got, e.Offset, e.Want, e.Iteration)
}

// A PlanError reports a plan that cannot be run, before anything is measured.
type PlanError struct{ Reason string }

func (e *PlanError) Error() string { return e.Reason }

func planErrorf(format string, values ...any) error {
	return &PlanError{fmt.Sprintf(format, values...)}
}

// Misfit implements exit.Misfit.
func (e *PlanError) Misfit() {}

// A MemoryError reports that the buffers of a case do not fit into the memory of a host.
type MemoryError struct {
	Bench     string `json:"bench"`
	Size      int    `json:"size"`      // of one message
	Buffers   int    `json:"buffers"`   // per rank
	Ranks     int    `json:"ranks"`     // on this host
	Need      int64  `json:"need"`      // bytes on this host
	Available int64  `json:"available"` // bytes
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("%s with messages of %s does not fit into memory: %d ranks with %d buffers each need %s, %s are available; choose smaller %v", e.Bench, human.Amount(int64(e.Size)), e.Ranks, e.Buffers, human.Amount(e.Need), human.Amount(e.Available), remedy.Named("sizes"))
}

// Misfit implements exit.Misfit.
func (e *MemoryError) Misfit() {}

// A RankError reports the failure of another rank, with the text of its error.
type RankError struct {
	Rank    int    `json:"rank"`
	Message string `json:"message"`
}

func (e *RankError) Error() string { return fmt.Sprintf("rank %d: %s", e.Rank, e.Message) }

// errNoTrial reports that no event could be timed.
var errNoTrial = remedy.Errorf("no event was timed: a rank came too late for every start, or a clock was stepped; use %v", remedy.Set("start", "barrier"))
