package main

import (
	"errors"

	"gobench/experiment"
	"gobench/internal/exit"
	"gobench/internal/experiment/sweep"
	"gobench/internal/report/document"
	"gobench/record"
)

// exitCode returns the exit code of the program after err.
func exitCode(err error) int {
	var (
		usage     *exit.UsageError
		selection *record.SelectionError
		path      *document.PathError
		claims    *document.ClaimsError
		format    *document.FormatError
		swept     *sweep.FailedError
		exceeded  *sweep.ExceededError
	)
	switch {
	case errors.As(err, &usage), errors.As(err, &selection), errors.As(err, &path), errors.As(err, &claims), errors.As(err, &format):
		return exit.Usage // also of a plan of a sweep
	case errors.As(err, &swept) && swept.Code == exit.Data:
		return exit.Data
	case errors.As(err, &exceeded):
		return exit.Regression
	}
	return experiment.ExitCode(err)
}
