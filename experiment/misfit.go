package experiment

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"gobench/internal/exit"
)

// misfitError is an exit.Misfit of options of this package.
type misfitError struct{ reason string }

func (e *misfitError) Error() string { return e.reason }

// Misfit implements exit.Misfit.
func (e *misfitError) Misfit() {}

func misfit(format string, args ...any) error {
	return &misfitError{fmt.Sprintf(format, args...)}
}

// writeMisfit writes the estimate of a command that cannot run because of err, if err is an
// exit.Misfit, for the sweep that asks for it.
func writeMisfit(w io.Writer, err error) {
	if _, ok := errors.AsType[exit.Misfit](err); ok {
		json.NewEncoder(w).Encode(Estimate{Misfit: err.Error()}) // a closed pipe has no reader
	}
}
