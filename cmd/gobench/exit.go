package main

import (
	"errors"

	"gobench/experiment"
	"gobench/experiment/sweep"
	"gobench/internal/exit"
)

// exitCode returns the exit code of the program after err.
func exitCode(err error) int {
	var (
		usage    *exit.UsageError
		swept    *sweep.FailedError
		exceeded *sweep.ExceededError
	)
	switch {
	case errors.As(err, &usage):
		return exit.Usage // also of a plan of a sweep
	case errors.As(err, &swept) && swept.Code == exit.Data:
		return exit.Data
	case errors.As(err, &exceeded):
		return exit.Regression
	}
	return experiment.ExitCode(err)
}
