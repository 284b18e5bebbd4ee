package experiment

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"gobench/bench"
	"gobench/device"
	"gobench/internal/exit"
	"gobench/kernels/application"
	"gobench/launch"
	"gobench/record"
)

// EndedError reports a rank that ended without an error message of its own, usually by a signal.
type EndedError struct {
	Code int // exit code of the job
	Err  error
}

func (e *EndedError) Error() string { return e.Err.Error() }
func (e *EndedError) Unwrap() error { return e.Err }

// LostError reports rows that were measured but could not be written.
type LostError struct {
	Rows, Of int
	File     string
	Err      error // the first one
}

func (e *LostError) Error() string {
	cause := e.Err
	var write *record.WriteError
	if errors.As(cause, &write) {
		cause = write.Err // the file is named already
	}
	var path *fs.PathError
	if errors.As(cause, &path) {
		cause = path.Err
	}
	return fmt.Sprintf("%d of %d records could not be written to %s (%v): their only copy is the output above", e.Rows, e.Of, e.File, cause)
}

func (e *LostError) Unwrap() error { return e.Err }

// interruptedError is bench.ErrInterrupted with the number of launches and points that are
// complete.
type interruptedError struct {
	launches, of, points int
	file                 string     // "" = none
	late                 *lateError // nil if all ranks have ended together
}

func (e *interruptedError) Error() string {
	records, late := "no records are kept", ""
	if e.file != "" {
		records = fmt.Sprintf("records: %s (%d points)", e.file, e.points)
	}
	if e.late != nil {
		late = "; " + e.late.Error()
	}
	return fmt.Sprintf("interrupted after %d of %d launches; %s%s", e.launches, e.of, records, late)
}

func (e *interruptedError) Unwrap() error { return bench.ErrInterrupted }

// A lateError names ranks that did not end together with the others after an interrupt.
type lateError struct{ ranks []string }

func (e *lateError) Error() string {
	return strings.Join(e.ranks, ", ") + " did not answer: stopped, or computing"
}

// lateOf returns the rank that a wait was interrupted for, nil if err is something else.
func lateOf(err error) *lateError {
	if late, ok := errors.AsType[*lateError](err); ok {
		return late
	}
	if in, ok := errors.AsType[*device.InterruptedError](err); ok && in.Rank >= 0 {
		return &lateError{[]string{device.RankName(in.Rank, in.Host)}}
	}
	return nil
}

// killed returns the ranks that the launcher has killed after an interrupt, nil if there are none.
func killed(result *launch.Result) *lateError {
	var late lateError
	for _, s := range result.Ranks {
		if s.Stopped && (s.Signal == syscall.SIGKILL || s.Lost != "") {
			late.ranks = append(late.ranks, device.RankName(s.Rank, s.Host))
		}
	}
	if late.ranks == nil {
		return nil
	}
	return &late
}

// errStdoutClosed ends a command whose reader of standard output has closed it, as after
// gobench p2p | head. It needs no message.
var errStdoutClosed = &exit.ReportedError{Code: exit.Failed, Err: errors.New("standard output is closed")}

// dataWrong reports whether err means that the data received differed from the data sent.
func dataWrong(err error) bool {
	var (
		wrong    *bench.DataError
		verified *application.VerificationError
	)
	return errors.As(err, &wrong) || errors.As(err, &verified)
}

// ExitCode returns the exit code of a program that ends with err, which may be nil.
func ExitCode(err error) int {
	var (
		usage    *exit.UsageError
		value    *device.ValueError
		reported *exit.ReportedError
		ended    *EndedError
		fault    *FaultUndetectedError
		limit    *LimitError
		unmet    *UnmetError
	)
	switch {
	case err == nil:
		return exit.Fine
	case errors.As(err, &usage), errors.As(err, &value), errors.As(err, &unmet):
		return exit.Usage
	case errors.As(err, &reported):
		return reported.Code
	case errors.As(err, &limit):
		return exit.Regression
	case errors.As(err, &ended):
		return ended.Code
	case errors.As(err, &fault):
		return fault.Code()
	case dataWrong(err):
		return exit.Data
	}
	return exit.Failed
}

// reportedByRank0 reports whether rank 0 prints this error, or a more precise one, so that the
// other ranks need not print it.
func reportedByRank0(err error) bool {
	var (
		peer   *device.PeerError
		other  *bench.RankError
		memory *bench.MemoryError
		unseen *FaultUndetectedError
	)
	return errors.Is(err, bench.ErrInterrupted) || errors.Is(err, application.ErrInterrupted) || dataWrong(err) || errors.As(err, &peer) || errors.As(err, &other) ||
		errors.As(err, &memory) || errors.As(err, &unseen) || errors.Is(err, errElsewhere)
}

// lostRank0 reports whether err is the loss of rank 0, which rank 0 itself cannot print. A rank 0
// that was interrupted can.
func lostRank0(err error) bool {
	peer, ok := errors.AsType[*device.PeerError](err)
	return ok && peer.Rank == 0 && !errors.Is(err, bench.ErrInterrupted)
}

// errElsewhere ends a rank after an error that rank 0 prints.
var errElsewhere = errors.New("rank 0 cannot go on")
