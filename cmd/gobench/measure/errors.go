package measure

import (
	"errors"
	"fmt"
	"io/fs"

	"gobench/bench"
	"gobench/bench/record"
	"gobench/device"
	"gobench/kernels/application"
)

// RanksError says that the ranks of a job failed. Where they have told why
// themselves, it has no words of its own.
type RanksError struct {
	Code int // exit code of the job
	Told string
}

func (e *RanksError) Error() string { return e.Told }

// LostError says that rows were measured but could not be written.
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
	return fmt.Sprintf("%d of %d records could not be written to %s (%v): what was printed is all that is left of them", e.Rows, e.Of, e.File, cause)
}

func (e *LostError) Unwrap() error { return e.Err }

// interruptedError is what is told of bench.ErrInterrupted.
type interruptedError struct {
	launches, of, points int
	file                 string
}

func (e *interruptedError) Error() string {
	return fmt.Sprintf("interrupted after %d of %d launches; records: %s (%d points)", e.launches, e.of, e.file, e.points)
}

func (e *interruptedError) Unwrap() error { return bench.ErrInterrupted }

// errGone says that nobody reads standard output any more, as after
// gobench p2p | head. It is told to nobody.
var errGone = errors.New("")

// DataWrong reports whether err says that data arrived which was not sent.
func DataWrong(err error) bool {
	var (
		wrong    *bench.DataError
		verified *application.VerificationError
	)
	return errors.As(err, &wrong) || errors.As(err, &verified)
}

// shared reports whether all ranks have the same error, or rank 0 has the
// better one. Then only rank 0 tells.
func shared(err error) bool {
	var (
		peer   *device.PeerError
		other  *bench.RankError
		memory *bench.MemoryError
		unseen *UnseenError
	)
	return errors.Is(err, bench.ErrInterrupted) || errors.Is(err, application.ErrInterrupted) || DataWrong(err) || errors.As(err, &peer) || errors.As(err, &other) ||
		errors.As(err, &memory) || errors.As(err, &unseen) || errors.Is(err, errElsewhere)
}

// errElsewhere is how a rank ends because of what rank 0 has found out and
// tells.
var errElsewhere = errors.New("rank 0 cannot go on")
