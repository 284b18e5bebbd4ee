package main

import (
	"errors"

	"gobench/bench/compare"
	"gobench/cmd/gobench/comparing"
	"gobench/cmd/gobench/measure"
	"gobench/cmd/gobench/sweeping"
	"gobench/device"
)

// Exit codes, the same for every verb.
const (
	exitFine       = 0
	exitFailed     = 1 // could not be done, or not to its end
	exitUsage      = 2 // the command line asks for what does not exist
	exitData       = 3 // data arrived wrong: there is no number
	exitRegression = 4 // slower than the baseline, or than --fail-if allows
	exitNoisy      = 5 // inconclusive
)

// usageError is a mistake in the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// exitCode says how the program ends after err.
func exitCode(err error) int {
	var (
		usage usageError
		ranks *measure.RanksError
		value *device.ValueError
		gate  *comparing.GateError
		fault *measure.UnseenError
		swept *sweeping.FailedError
		limit *measure.LimitError
		unmet *measure.UnmetError
	)
	switch {
	case err == nil:
		return exitFine
	case errors.As(err, &usage), errors.As(err, &value), errors.As(err, &unmet):
		return exitUsage
	case errors.As(err, &swept) && swept.Code == exitData:
		return exitData
	case errors.As(err, &limit), errors.As(err, &gate) && gate.Conclusion == compare.Failed:
		return exitRegression
	case errors.As(err, &gate):
		return exitNoisy
	case errors.As(err, &ranks):
		return ranks.Code
	case errors.As(err, &fault):
		return fault.Code()
	case measure.DataWrong(err):
		return exitData
	default:
		return exitFailed
	}
}
