package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"

	"gobench/bench/record"
	"gobench/internal/exit"
	"gobench/launch/child"
	"gobench/launch/host"
)

// estimate is the output of a launch with --dry-run --json (measure.Estimate).
type estimate struct {
	Cells int     `json:"cells"`
	Least float64 `json:"least_s"`
	Most  float64 `json:"most_s"`
}

const (
	// startTime is the time of a launch on an idle machine without its cells, in seconds.
	startTime = 0.5
	// overrun is the maximum ratio of the time of cells to their budgets.
	overrun = 1.25
)

// check makes a dry run of every command, so that mistakes are found before the first launch, and
// identifies every program. A dry run of the sweep does not start programs that the file names,
// because they are unknown; it uses this program instead.
func (r *runner) check(ctx context.Context) error {
	if err := r.identify(ctx); err != nil {
		return err
	}
	lost := host.Noise(host.NoiseTime).Lost
	r.disturbance = 1 / (1 - min(lost, 0.9))
	r.estimates = map[string]estimate{}
	one := *r.plan
	one.Launches = 1
	for _, l := range one.Order(1, 1) {
		if l.Command.isForeign() || r.rivals.skipped[l.Key()] {
			continue // it has no dry run: its time is unknown before its first launch
		}
		var out, said bytes.Buffer
		program := l.Program
		if r.DryRun {
			program = ""
		}
		one := child.Child{Program: program, Args: append(l.Command.Arguments(), "--dry-run", "--json"), Env: child.Replication(l.Number, l.Block), Stdout: &out, Stderr: &said}
		err := one.Run(ctx) // without the launcher: a dry run needs no ranks
		if _, ok := errors.AsType[*child.ExitError](err); ok {
			why := strings.TrimSpace(strings.ReplaceAll(said.String(), "gobench: ", ""))
			return &exit.UsageError{Err: &record.FileError{Path: r.Path, Line: l.Command.Line, Err: fmt.Errorf("gobench %s: %s", l.Command, why)}}
		}
		if err != nil {
			return err
		}
		r.estimates[l.Key()] = sum(&out)
	}
	return nil
}

// sum adds up the estimates of a launch, one for each number of ranks. Other output is ignored.
func sum(said io.Reader) (all estimate) {
	for d := json.NewDecoder(said); ; {
		var e estimate
		if d.Decode(&e) != nil {
			return all
		}
		all.Cells += e.Cells
		all.Least += e.Least
		all.Most += e.Most
	}
}

// guess returns bounds of the time of a launch that was not made yet. They are unknown for
// applications.
func (r *runner) guess(l Launch) Guess {
	e := r.estimates[l.Key()]
	if e.Most == 0 {
		return Guess{}
	}
	return Guess{Least: startTime + e.Least, Most: startTime + overrun*e.Most}
}

// expect returns bounds of the time of launches.
func (r *runner) expect(list []Launch) Span {
	return r.state.Expect(list, r.disturbance, r.guess)
}

// resume reads the file of records and determines the seed and the remaining launches.
func (r *runner) resume() error {
	file := &record.File{}
	if r.exists() {
		var err error
		if file, err = record.ReadFile(r.File); err != nil {
			return err
		}
	}
	var err error
	if r.state, err = r.plan.Resume(file, r.id); err != nil {
		return &exit.UsageError{Err: fmt.Errorf("%s: %w; name another file with -o", r.File, err)}
	}
	for _, l := range r.state.Launches() {
		if err := r.checkOrigin(&l); err != nil {
			return err
		}
		if l.Command[0] == foreignTable {
			r.rivals.worked[key(l.Program, l.Command)] = true
		}
	}
	r.sampled.note(file.Points)
	switch {
	case r.state.Seed() != 0 && r.plan.Seed != 0 && r.state.Seed() != r.plan.Seed:
		return &exit.UsageError{Err: fmt.Errorf("%s was begun with seed %d, not %d: name another file with -o", r.File, r.state.Seed(), r.plan.Seed)}
	case r.state.Seed() != 0:
		r.seed = r.state.Seed()
	case r.plan.Seed != 0:
		r.seed = r.plan.Seed
	default:
		r.seed = rand.Int64N(1<<31-1) + 1
	}
	r.order = r.plan.Order(r.seed, r.times())
	r.left = r.state.Left(r.order)
	return nil
}
