package main

import (
	"context"
	"fmt"
	"io"
)

// patience decides whether a comparison goes on without one program in one round: on
// a busy machine a run may fail, and a table of hours is not to be lost for it. A table
// without a program would mislead, so one that has never worked, or that fails in
// more than a third of the rounds, ends the comparison.
type patience struct {
	rounds   int
	failed   map[string]int
	progress io.Writer
}

func newPatience(rounds int, progress io.Writer) *patience {
	return &patience{rounds, map[string]int{}, progress}
}

// with returns nil where the comparison goes on after an error of a program, which is
// left out of the round then, and else the error.
func (p *patience) with(ctx context.Context, program string, round int, err error) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf("round %d, %s: %w", round, program, err)
	p.failed[program]++
	if stopped(ctx) || p.failed[program] == round || 3*p.failed[program] > p.rounds {
		return err
	}
	fmt.Fprintf(p.progress, "%v; left out of this round\n", err)
	return nil
}
