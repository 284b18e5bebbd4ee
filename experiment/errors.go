package experiment

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"syscall"

	"gobench/bench"
	"gobench/device"
	"gobench/internal/exit"
	"gobench/internal/lazyregexp"
	"gobench/internal/remedy"
	"gobench/kernels/application"
	"gobench/launch/outcome"
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
	Swept    bool  // the command is a launch of a sweep, which prints the rows
	Err      error // the first one
}

func (e *LostError) Error() string {
	cause := e.Err
	if write, ok := errors.AsType[*record.WriteError](cause); ok {
		cause = write.Err // the file is named already
	}
	if path, ok := errors.AsType[*fs.PathError](cause); ok {
		cause = path.Err
	}
	where := "their only copy is the output above"
	if e.Swept {
		where = "the sweep prints them"
	}
	return fmt.Sprintf("%d of %d records could not be written to %s (%v): %s", e.Rows, e.Of, e.File, cause, where)
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
func killed(result *outcome.Result) *lateError {
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
	return errors.As(err, new(*bench.DataError)) || errors.As(err, new(*application.VerificationError))
}

// ExitCode returns the exit code of a program that ends with err, which may be nil.
func ExitCode(err error) int {
	var (
		reported *exit.ReportedError
		ended    *EndedError
		fault    *FaultUndetectedError
	)
	switch {
	case err == nil:
		return exit.Fine
	case errors.As(err, new(*exit.UsageError)), errors.As(err, new(*device.ValueError)), errors.As(err, new(*UnmetError)):
		return exit.Usage
	case errors.As(err, &reported):
		return reported.Code
	case errors.As(err, new(*LimitError)):
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
	return errors.Is(err, bench.ErrInterrupted) || errors.Is(err, application.ErrInterrupted) || errors.Is(err, errElsewhere) ||
		dataWrong(err) || errors.As(err, new(*device.PeerError)) || errors.As(err, new(*bench.RankError)) ||
		errors.As(err, new(*bench.MemoryError)) || errors.As(err, new(*FaultUndetectedError))
}

// lostRank0 reports whether err is the loss of rank 0, which rank 0 itself cannot print. A rank 0
// that was interrupted can.
func lostRank0(err error) bool {
	peer, ok := errors.AsType[*device.PeerError](err)
	return ok && peer.Rank == 0 && !errors.Is(err, bench.ErrInterrupted)
}

// errElsewhere ends a rank after an error that rank 0, or the process that launched it, prints.
var errElsewhere = errors.New("rank 0 cannot go on")

// misfitError is an exit.Misfit of options of this package.
type misfitError struct{ error }

// Unwrap returns the error without its meaning for sweeps.
func (e *misfitError) Unwrap() error { return e.error }

// Misfit implements exit.Misfit.
func (e *misfitError) Misfit() {}

func misfit(format string, args ...any) error {
	return &misfitError{remedy.Errorf(format, args...)}
}

// writeMisfit writes the estimate of a command that cannot run because of err, if err is an
// exit.Misfit, for the sweep that asks for it.
func writeMisfit(w io.Writer, err error) {
	if _, ok := errors.AsType[exit.Misfit](err); ok {
		json.NewEncoder(w).Encode(Estimate{Misfit: err.Error()}) // a closed pipe has no reader
	}
}

// A namedError is an error whose text names the host of each rank.
type namedError struct {
	error
	text string
}

func (e *namedError) Error() string { return e.text }
func (e *namedError) Unwrap() error { return e.error }

// named returns err with the hosts of the ranks in its text. Most errors about ranks come from
// layers that do not know the names of hosts.
func named(job device.Job, err error) error {
	if err == nil {
		return nil
	}
	if text := nameHosts(job, err.Error()); text != err.Error() {
		return &namedError{err, text}
	}
	return err
}

// rankInText matches a rank, or two of them, in a message.
var rankInText = lazyregexp.New(`\brank \d+( of \d+)?\b|\branks \d+ and \d+\b`)

// nameHosts adds the name of its host to each rank in a text that names no host, if the job has
// several hosts.
func nameHosts(job device.Job, text string) string {
	if device.HostName(job, 0) == "" {
		return text
	}
	var b strings.Builder
	for {
		at := rankInText.FindStringIndex(text)
		if at == nil {
			return b.String() + text
		}
		words := strings.Fields(text[at[0]:at[1]])
		b.WriteString(text[:at[0]])
		found, rest := text[at[0]:at[1]], text[at[1]:]
		text = rest
		if words[0] == "ranks" {
			b.WriteString(on(job, "rank "+words[1], words[1], " and ") + " and " + on(job, "rank "+words[3], words[3], rest))
		} else {
			b.WriteString(on(job, found, words[1], rest))
		}
	}
}

// on returns the words for a rank with its host, unless the text behind them names it already.
func on(job device.Job, words, number, behind string) string {
	rank, err := strconv.Atoi(number)
	if err != nil || rank >= job.Size() {
		return words
	}
	host := " on " + device.HostName(job, rank)
	if strings.HasPrefix(behind, host) {
		return words
	}
	return words + host
}
