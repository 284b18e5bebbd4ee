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

// runsAgain bounds how often a run that died is made again, in one round.
const runsAgain = 2

// patience decides what becomes of a program whose runs die: on a busy machine a run may, and a
// table of hours is not to be lost for it. A run that died is made again; a program that died
// each time is left out of the round; one that has never worked, or that was left out of more than a
// third of the rounds, is left out from then on. All of it is counted and said, and nothing of it
// ends the comparison.
type patience struct {
	rounds   int
	progress io.Writer
	again    map[string]int   // runs that were made again, by program
	failed   map[string]int   // rounds
	out      map[string]error // why it is left out
}

func newPatience(rounds int, progress io.Writer) *patience {
	return &patience{rounds, progress, map[string]int{}, map[string]int{}, map[string]error{}}
}

// run makes a run of a program, and again where it died. The error is that of the last attempt.
func (p *patience) run(ctx context.Context, program string, round int, run func() error) error {
	for attempt := 0; ; attempt++ {
		err := run()
		if err == nil || stopped(ctx) || attempt == runsAgain {
			return err
		}
		p.again[program]++
		fmt.Fprintf(p.progress, "round %d, %s: %v; run again\n", round, program, err)
	}
}

// note takes down how a program did in a round. The error is that of ctx.
func (p *patience) note(ctx context.Context, program string, round int, err error) error {
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

func (p *patience) leaveOut(program string, why error) {
	p.out[program] = why
	fmt.Fprintf(p.progress, "%s is left out from here on: %v\n", program, why)
}

// needs leaves out a program that lacks an executable.
func (p *patience) needs(program string, executables []string) {
	for _, name := range executables {
		if _, err := exec.LookPath(name); err != nil {
			p.leaveOut(program, fmt.Errorf("it needs %s: %w", name, errors.Unwrap(err)))
			return
		}
	}
}

// print says what was left out and run again.
func (p *patience) print(w io.Writer) {
	for _, name := range sorted(p.out) {
		fmt.Fprintf(w, "left out: %s (%v)\n", name, p.out[name])
	}
	var again []string
	for _, name := range sorted(p.again) {
		again = append(again, fmt.Sprintf("%s %d", name, p.again[name]))
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
