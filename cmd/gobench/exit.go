package main

import (
	"errors"

	"gobench/bench/sweep"
	"gobench/cmd/gobench/measure"
	"gobench/device"
	"gobench/internal/exit"
)

// exitCode returns the exit code of the program after err.
func exitCode(err error) int {
	var (
		usage    *exit.UsageError
		reported *exit.ReportedError
		value    *device.ValueError
		ended    *measure.EndedError
		fault    *measure.FaultUndetectedError
		swept    *sweep.FailedError
		limit    *measure.LimitError
		unmet    *measure.UnmetError
	)
	switch {
	case err == nil:
		return exit.Fine
	case errors.As(err, &usage), errors.As(err, &value), errors.As(err, &unmet):
		return exit.Usage
	case errors.As(err, &swept) && swept.Code == exit.Data:
		return exit.Data
	case errors.As(err, &limit):
		return exit.Regression
	case errors.As(err, &reported):
		return reported.Code
	case errors.As(err, &ended):
		return ended.Code
	case errors.As(err, &fault):
		return fault.Code()
	case measure.DataWrong(err):
		return exit.Data
	default:
		return exit.Failed
	}
}
