package experiment

import (
	"encoding/json"
	"errors"
	"io"

	"gobench/internal/exit"
	"gobench/internal/remedy"
)

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
