package sweeping

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gobench/bench/record"
	"gobench/bench/sweep"
	"gobench/cmd/gobench/child"
	"gobench/report"
)

// InterruptedError says how far a sweep came.
type InterruptedError struct {
	Done, Of int
	File     string
}

func (e *InterruptedError) Error() string {
	return fmt.Sprintf("interrupted after %d of %d launches; the same command goes on from there, records: %s", e.Done, e.Of, e.File)
}

// FailedError says that launches failed. They have told why.
type FailedError struct {
	Failed, Of int
	Code       int // exit code of the last one
}

func (e *FailedError) Error() string {
	return fmt.Sprintf("%d of %d launches failed", e.Failed, e.Of)
}

// all does all launches that are left.
func (r *run) all(ctx context.Context) error {
	if r.Form != report.Text {
		var keys []string
		for _, m := range record.Metrics {
			keys = append(keys, m.Key)
		}
		var err error
		if r.printer, err = report.NewPrinter(r.stdout, r.terminal, r.Form, keys); err != nil {
			return err
		}
	}
	r.broken = map[string]bool{}
	r.announce()
	code, late := 0, 0
	for i, l := range r.left {
		switch {
		case ctx.Err() != nil:
			return r.interrupted(i)
		case r.broken[l.Key()]:
			continue
		case r.late(l):
			late++
			continue
		}
		r.progress(l, r.left[i:])
		exit, err := r.launch(ctx, l)
		if ctx.Err() != nil {
			return r.interrupted(i)
		}
		if err != nil {
			return err
		}
		if exit != 0 {
			code = exit
			r.failures++
			r.broken[l.Key()] = true
			fmt.Fprintf(r.stderr, "gobench: %s failed with exit code %d and is left out from here on\n", l.Command, exit)
			if exit == dataWrong {
				break
			}
		}
	}
	if r.printer != nil {
		if err := r.printer.End(); err != nil {
			return err
		}
	}
	if err := r.end(late); err != nil {
		return err
	}
	if r.failures > 0 {
		return &FailedError{r.failures, len(r.left), code}
	}
	return nil
}

// dataWrong is the exit code of a launch whose data arrived wrong: nothing that
// this machine says counts.
const dataWrong = 3

// late reports whether a launch would exceed the budget of the sweep.
func (r *run) late(l sweep.Launch) bool {
	if r.plan.Budget == 0 {
		return false
	}
	expected := r.expect([]sweep.Launch{l})
	return time.Since(r.begin)+seconds(expected.Most) > r.plan.Budget
}

func (r *run) interrupted(i int) error {
	return &InterruptedError{len(r.order) - len(r.left) + i, len(r.order), r.File}
}

// launch does one launch and returns its exit code. The launch writes its own records; a
// row that it is complete follows them.
func (r *run) launch(ctx context.Context, l sweep.Launch) (exit int, err error) {
	args := append(l.Command.Words(), "--json", "--output="+r.File)
	if r.seeded(l.Command.Verb) {
		args = append(args, fmt.Sprintf("--seed=%d", r.seed+int64(l.Number)))
	}
	if err := r.unchanged(l.Program); err != nil {
		return 0, err
	}
	p := r.programs[l.Program]
	begin := time.Now()
	var out bytes.Buffer
	env := append(child.Replication(l.Number, l.Block), r.out.Permission()...)
	err = child.Child{Program: l.Program, Args: args, Env: env, Stdout: &out, Stderr: r.stderr}.Run(ctx)
	if failed, ok := errors.AsType[*child.ExitError](err); ok {
		exit = failed.Code
	} else if err != nil {
		return 0, err
	}
	took := time.Since(begin).Seconds()
	rows, err := record.Read(&out)
	if err != nil && exit == 0 {
		return 0, fmt.Errorf("what gobench %s printed is unreadable: %w", l.Command, err)
	}
	if err := r.print(rows); err != nil || exit != 0 {
		return exit, err
	}
	if len(rows.Runs) == 0 {
		return 0, fmt.Errorf("gobench %s printed no run", l.Command)
	}
	r.state.Took(l, took)
	return 0, r.out.WriteLaunch(&record.Launch{
		Run: rows.Runs[0].ID, Series: rows.Runs[0].Series, Time: begin.UTC(), Sweep: r.plan.Name, Plan: r.id, Command: l.Command.Words(), Program: l.Program, Version: p.version, Build: p.build, Host: r.Host,
		Launch: l.Number, Block: l.Block, Seed: r.seed, Points: len(rows.Points), Duration: took,
	})
}

// seeded reports whether a verb measures its cells in a random order.
func (r *run) seeded(verb string) bool {
	return slices.ContainsFunc(r.Verbs, func(v sweep.Verb) bool { return v.Name == verb && slices.Contains(v.Flags, "seed") })
}

// print hands the rows of a launch on, where programs read.
func (r *run) print(rows *record.File) error {
	if r.printer == nil {
		return nil
	}
	for _, run := range rows.Runs {
		if err := r.printer.Run(run); err != nil {
			return err
		}
	}
	for _, p := range rows.Points {
		if err := r.printer.Point(p); err != nil {
			return err
		}
	}
	return nil
}
