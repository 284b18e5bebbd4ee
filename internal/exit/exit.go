// Package exit defines the exit codes of gobench and the errors that select one.
package exit

// Exit codes, the same for every verb.
const (
	Fine       = 0
	Failed     = 1 // the command failed, or did not finish
	Usage      = 2 // the command line asks for something that does not exist
	Data       = 3 // data arrived wrong: there is no result
	Regression = 4 // slower than the baseline, or than --fail-if allows
	Noisy      = 5 // inconclusive
)

// Meanings are the exit codes in a few words, by their number.
var Meanings = []string{"fine", "failed", "usage", "data wrong", "regression", "inconclusive"}

// UsageError is a mistake in the command line or in a file that it names. The program ends with
// code Usage.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

// A Misfit is an error about a combination of valid values: a number of ranks that a kernel cannot
// run on, or that hosts have no room for. A sweep leaves such a combination out.
type Misfit interface {
	error
	Misfit()
}

// ReportedError is a failure that the user has already been told of, by a rank, by a child process
// or in the results. The program prints nothing more and ends with Code.
type ReportedError struct {
	Code int
	Err  error
}

func (e *ReportedError) Error() string { return e.Err.Error() }
func (e *ReportedError) Unwrap() error { return e.Err }
