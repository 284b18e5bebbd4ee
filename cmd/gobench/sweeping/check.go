package sweeping

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
	"gobench/bench/sweep"
	"gobench/cmd/gobench/child"
	"gobench/launch/host"
)

// estimate is what a launch says that it would do (measure.Estimate).
type estimate struct {
	Cells int     `json:"cells"`
	Least float64 `json:"least_s"`
	Most  float64 `json:"most_s"`
}

const (
	// startTime is how long a launch takes besides its cells on an idle machine, in seconds.
	startTime = 0.5
	// overrun is by how much cells may exceed their budgets, as a factor.
	overrun = 1.25
)

// check asks every command what it would do, so that a mistake is found before the
// first launch, and every program who it is. A dry run starts none of the programs that the
// file names, which may do anything: this program is asked in their place.
func (r *run) check(ctx context.Context) error {
	if err := r.learn(ctx); err != nil {
		return err
	}
	lost := host.Noise(host.NoiseTime).Lost
	r.disturbance = 1 / (1 - min(lost, 0.9))
	r.estimates = map[string]estimate{}
	one := *r.plan
	one.Launches = 1
	for _, l := range one.Order(1, 1) {
		var out, said bytes.Buffer
		args := append(l.Command.Words(), "--dry-run", "--json")
		program := l.Program
		if r.DryRun {
			program = ""
		}
		err := child.Child{Program: program, Args: args, Env: child.Replication(l.Number, l.Block), Stdout: &out, Stderr: &said}.Run(ctx)
		if _, ok := errors.AsType[*child.ExitError](err); ok {
			why := strings.TrimSpace(strings.ReplaceAll(said.String(), "gobench: ", ""))
			return &UsageError{&sweep.FileError{Path: r.Path, Line: l.Command.Line, Err: fmt.Errorf("gobench %s: %s", l.Command, why)}}
		}
		if err != nil {
			return err
		}
		r.estimates[l.Key()] = sum(&out)
	}
	return nil
}

// sum adds up what a launch says, once for each number of ranks. What is no estimate
// says nothing, which is no error.
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

// guess is how long a launch takes of which nothing is known yet. Of applications nobody can
// tell.
func (r *run) guess(l sweep.Launch) sweep.Guess {
	e := r.estimates[l.Key()]
	if e.Most == 0 {
		return sweep.Guess{}
	}
	return sweep.Guess{Least: startTime + e.Least, Most: startTime + overrun*e.Most}
}

// expect bounds the time of launches.
func (r *run) expect(list []sweep.Launch) sweep.Span {
	return r.state.Expect(list, r.disturbance, r.guess)
}

// resume finds out what the file of records holds already.
func (r *run) resume() error {
	file := &record.File{}
	if r.exists() {
		var err error
		if file, err = record.ReadFile(r.File); err != nil {
			return err
		}
	}
	var err error
	if r.state, err = r.plan.Resume(file, r.id); err != nil {
		return &UsageError{fmt.Errorf("%s: %w; name another file with -o", r.File, err)}
	}
	for _, l := range r.state.Launches() {
		if err := r.same(&l); err != nil {
			return err
		}
	}
	switch {
	case r.state.Seed() != 0 && r.plan.Seed != 0 && r.state.Seed() != r.plan.Seed:
		return &UsageError{fmt.Errorf("%s was begun with seed %d, not %d: name another file with -o", r.File, r.state.Seed(), r.plan.Seed)}
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
