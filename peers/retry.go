package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
)

// mostRetries bounds how often a failed run is repeated in one round.
const mostRetries = 2

// A retryPolicy decides about programs whose runs fail, so that a failure on a busy machine does
// not lose hours of results. A failed run is repeated; a program whose repetitions fail as well is
// skipped for the round; a program that never worked, or failed in more than a third of the rounds,
// is left out from then on. Failures are counted and printed, and never end the comparison.
type retryPolicy struct {
	rounds   int
	progress io.Writer
	retried  map[string]int   // runs that were made again, by program
	failed   map[string]int   // rounds
	out      map[string]error // why it is left out
}

func newRetryPolicy(rounds int, progress io.Writer) *retryPolicy {
	return &retryPolicy{rounds, progress, map[string]int{}, map[string]int{}, map[string]error{}}
}

// run runs a program and repeats failed runs. It returns the error of the last attempt.
func (p *retryPolicy) run(ctx context.Context, program string, round int, run func() error) error {
	for attempt := 0; ; attempt++ {
		err := run()
		if err == nil || stopped(ctx) || attempt == mostRetries {
			return err
		}
		p.retried[program]++
		fmt.Fprintf(p.progress, "round %d, %s: %v; run again\n", round, program, err)
	}
}

// note records the result of a program in a round. It returns an error only if ctx is cancelled.
func (p *retryPolicy) note(ctx context.Context, program string, round int, err error) error {
	if stopped(ctx) {
		return ctx.Err()
	}
	if err == nil {
		return nil
	}
	p.failed[program]++
	if p.failed[program] == round || 3*p.failed[program] > p.rounds {
		p.leaveOut(program, fmt.Errorf("round %d: %w", round, err))
		return nil
	}
	fmt.Fprintf(p.progress, "round %d, %s: %v; left out of this round\n", round, program, err)
	return nil
}

func (p *retryPolicy) leaveOut(program string, why error) {
	p.out[program] = why
	fmt.Fprintf(p.progress, "%s is left out from here on: %v\n", program, why)
}

// needs leaves out a program that lacks an executable.
func (p *retryPolicy) needs(program string, executables []string) {
	for _, name := range executables {
		if _, err := exec.LookPath(name); err != nil {
			p.leaveOut(program, fmt.Errorf("it needs %s: %w", name, errors.Unwrap(err)))
			return
		}
	}
}

// print prints the programs that were left out and the numbers of repeated runs.
func (p *retryPolicy) print(w io.Writer) {
	for _, name := range sorted(p.out) {
		fmt.Fprintf(w, "left out: %s (%v)\n", name, p.out[name])
	}
	var again []string
	for _, name := range sorted(p.retried) {
		again = append(again, fmt.Sprintf("%s %d", name, p.retried[name]))
	}
	if len(again) > 0 {
		fmt.Fprintf(w, "runs that died and were made again: %s\n", strings.Join(again, ", "))
	}
}

func sorted[T any](m map[string]T) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
