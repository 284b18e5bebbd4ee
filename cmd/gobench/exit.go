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
		swept    *sweep.FailedError
		exceeded *sweep.ExceededError
	)
	switch {
	case err == nil:
		return exit.Fine
	case errors.As(err, &usage), errors.As(err, &value):
		return exit.Usage
	case errors.As(err, &swept) && swept.Code == exit.Data:
		return exit.Data
	case errors.As(err, &exceeded):
		return exit.Regression
	case errors.As(err, &reported):
		return reported.Code
	}
	return measure.ExitCode(err)
}
