package sweep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"time"

	"gobench/internal/exit"
	"gobench/internal/launch/child"
	"gobench/internal/launch/host"
	"gobench/internal/remedy"
	"gobench/record"
)

// InterruptedError reports the number of launches that an interrupted sweep completed.
type InterruptedError struct {
	Done, Of int
	File     string
}

func (e *InterruptedError) Error() string {
	return fmt.Sprintf("interrupted after %d of %d launches; the same command continues from there, records: %s", e.Done, e.Of, e.File)
}

// FailedError reports failed launches, whose errors were printed.
type FailedError struct {
	Failed, Of int
	Code       int // exit code of the last one
}

func (e *FailedError) Error() string {
	return fmt.Sprintf("%d of %d launches failed", e.Failed, e.Of)
}

// ExceededError reports launches that exceed a limit (experiment.Limits), also those of an earlier
// part of the sweep.
type ExceededError struct{ Exceed, Of int }

func (e *ExceededError) Error() string {
	return fmt.Sprintf("%d of %d launches exceed a limit of %v", e.Exceed, e.Of, remedy.Named("fail-if"))
}

// launchAll makes all remaining launches.
func (r *runner) launchAll(ctx context.Context) error {
	r.broken = map[string]bool{}
	r.announce()
	code, late, slow := 0, 0, 0
	begun := false // one launch at least is made, so that the same command ends at some time
	for _, l := range r.state.Launches() {
		if l.Exceeds {
			slow++
		}
	}
	for i, l := range r.left {
		if err := r.moved(); err != nil {
			return err
		}
		switch {
		case ctx.Err() != nil:
			return r.interrupted()
		case r.broken[l.Key()] || r.rivals.skipped[l.Key()]:
			continue
		case begun && r.late(l):
			late++
			continue
		}
		begun = true
		r.progress(l, r.left[i:])
		if l.Command.isForeign() {
			err := r.launchForeign(ctx, l)
			if ctx.Err() != nil {
				return r.interrupted()
			}
			if err != nil {
				return err
			}
			continue
		}
		failed, err := r.launch(ctx, l, 1)
		for attempt := 0; err == nil && failed == exit.Failed && r.beside() && attempt < maxRetries && ctx.Err() == nil; attempt++ {
			r.rivals.again["gobench"]++
			r.observer.Warning(fmt.Sprintf("%s failed; run again", l.Command.Name()))
			failed, err = r.launch(ctx, l, attempt+2)
		}
		if ctx.Err() != nil {
			return r.interrupted()
		}
		if err != nil {
			return err
		}
		if failed == exit.Regression {
			slow++
		} else if failed != exit.Fine {
			code = failed
			r.failures++
			r.broken[l.Key()] = true
			r.observer.Warning(fmt.Sprintf("%s failed with exit code %d and is left out from now on", l.Command, code))
			if code == exit.Data {
				break
			}
		}
	}
	if err := r.moved(); err != nil {
		return err
	}
	if n := r.tell(); n > 0 {
		r.failures += n
		code = max(code, exit.Failed)
	}
	if err := r.end(late); err != nil {
		return err
	}
	switch {
	case r.failures > 0:
		return &FailedError{r.failures, len(r.left), code}
	case slow > 0:
		return &ExceededError{slow, len(r.order)}
	case r.Judge != nil && r.exists():
		return r.Judge(r.File, r.id)
	}
	return nil
}

// moved returns an error if the file of records was removed or renamed: launches would write to
// another one.
func (r *runner) moved() error {
	err := r.out.Moved()
	if renamed, ok := errors.AsType[*record.RenamedError](err); ok {
		return fmt.Errorf("%w; the same command with %v continues", err, remedy.Set("output", renamed.To))
	}
	return err
}

// late reports whether a launch would probably exceed the budget of the sweep. The upper bound of
// its time does not count, which for cells with a number of iterations may be a thousand times as
// long.
func (r *runner) late(l Launch) bool {
	return r.plan.Budget > 0 && time.Since(r.begin)+seconds(r.expect([]Launch{l}).Likely) > r.plan.Budget
}

func (r *runner) interrupted() error {
	return &InterruptedError{len(r.order) - len(r.state.Left(r.order)), len(r.order), r.File}
}

// launch makes one launch and returns its exit code. The launch appends its own records to the
// file; a row that marks it as complete follows them. A launch that exceeds a limit of --fail-if is
// complete, any other failed one is recorded. attempt counts the attempts at it from 1.
func (r *runner) launch(ctx context.Context, l Launch, attempt int) (code int, err error) {
	args := append(l.Command.Arguments(), "--json", "--output="+r.File)
	if r.has(l.Command.Verb, "seed") { // it measures its cells in random order
		args = append(args, fmt.Sprintf("--seed=%d", r.seed+int64(l.Number)))
	}
	args = append(args, r.pin(l)...)
	if err := r.unchanged(l.Program); err != nil {
		return 0, err
	}
	p := r.programs[l.Program]
	begin := time.Now()
	var size int64 // of the file before the launch
	if info, err := os.Stat(r.File); err == nil {
		size = info.Size()
	}
	var out bytes.Buffer
	env := append(child.Replication(l.Number, l.Block), r.out.Permission()...)
	one := child.Child{Program: l.Program, Args: args, Env: env, Stdout: &out, Stderr: r.Stderr}
	if l.Command.Peak {
		one.Memory = &child.Peak{}
	}
	err = r.run(ctx, l, one)
	if failed, ok := errors.AsType[*child.ExitError](err); ok {
		code = failed.Code
	} else if err != nil {
		return 0, err
	}
	took := time.Since(begin).Seconds()
	complete := code == exit.Fine || code == exit.Regression
	rows, err := record.Read(&out)
	if err != nil && complete {
		return 0, fmt.Errorf("the output of gobench %s is unreadable: %w", l.Command, err)
	}
	if err := r.moved(); err != nil {
		return 0, err
	}
	if r.missesPoints(rows, size) {
		return 0, r.unwritten(rows, fmt.Errorf("cannot write results to %s", r.File)) // the launch has said why
	}
	if !complete {
		why := fmt.Sprintf("it ended with exit code %d", code)
		if len(rows.Failures) > 0 {
			why += ": " + rows.Failures[0].Why
		}
		if err := r.failed(ctx, l, attempt, begin, l.Command.Name(), why); err != nil {
			return code, r.unwritten(rows, err)
		}
		return code, nil
	}
	if len(rows.Runs) == 0 {
		return 0, fmt.Errorf("gobench %s printed no run", l.Command)
	}
	r.state.Took(l, took)
	r.sampled.add(rows.Points)
	var memory int64
	if one.Memory != nil {
		memory = one.Memory.Bytes
	}
	if err := r.out.WriteLaunch(&record.Launch{
		Run: rows.Runs[0].ID, Series: rows.Runs[0].Series, Time: begin.UTC(), Sweep: r.plan.Name, Plan: r.id, Command: l.Command.Words(), Program: l.Program, Version: p.version, Build: p.build, Host: r.Host,
		Launch: l.Number, Block: l.Block, Seed: r.seed, Points: len(rows.Points), Duration: took, Memory: memory, Exceeds: code == exit.Regression,
	}); err != nil {
		return 0, r.unwritten(rows, err)
	}
	return code, r.observer.Records(rows)
}

// missesPoints reports whether the file of records, which had a size before, lacks points of a
// launch. A file that cannot be read, such as a pipe, does not.
func (r *runner) missesPoints(rows *record.File, size int64) bool {
	if len(rows.Runs) == 0 || !r.exists() {
		return false
	}
	in, err := os.Open(r.File)
	if err != nil {
		return false
	}
	defer in.Close()
	file, _ := record.Read(io.NewSectionReader(in, size, math.MaxInt64-size)) // what is not readable is lost
	points := len(rows.Points)
	for i := range file.Points {
		if slices.ContainsFunc(rows.Runs, func(run record.Run) bool { return run.ID == file.Points[i].Run }) {
			points--
		}
	}
	return points > 0
}

// unwritten shows the results of a launch that the file of records lacks because of err. It returns
// the error that ends the sweep.
func (r *runner) unwritten(rows *record.File, err error) error {
	if failed := r.observer.Unwritten(rows); failed != nil {
		return fmt.Errorf("%w; %w", err, failed)
	}
	return fmt.Errorf("%w: those of the last launch are printed only, and the same command repeats it", err)
}

// failed records a failed attempt at a launch. An interrupted one has not failed.
func (r *runner) failed(ctx context.Context, l Launch, attempt int, begin time.Time, name, why string) error {
	if ctx.Err() != nil {
		return nil
	}
	return r.out.WriteFailure(&record.Failure{
		Run: record.NewID(begin), Time: begin.UTC(), Sweep: r.plan.Name, Plan: r.id, Name: name, Command: l.Command.Words(), Program: l.Program, Host: r.Host,
		Launch: l.Number, Block: l.Block, Attempt: attempt, Why: why, Duration: time.Since(begin).Seconds(),
	})
}

// pin returns the flag that pins the ranks of a launch of gobench to the cores of the other
// programs of its block. It returns nil for a command with --pin or a launcher, which keeps its own
// placement.
func (r *runner) pin(l Launch) []string {
	verb := l.Command.Verb
	if !r.beside() || !r.has(verb, "pin") || l.Command.Flag("pin") != "" || l.Command.Flag(launcherKey) != "" || l.Command.Flag("hosts") != "" || l.Command.Flag("ranks") == "goroutine" {
		return nil
	}
	ranks := l.Command.ranks()
	if ranks == 0 {
		return nil // several numbers, or all cores
	}
	cores := r.coresOf(l.Block, ranks)
	if cores == nil {
		return nil
	}
	return []string{"--pin=" + host.ListCores(cores)}
}

// beside reports whether the sweep starts programs other than gobench: foreign ones, or launchers.
func (r *runner) beside() bool {
	return slices.ContainsFunc(r.plan.Commands, func(c Command) bool { return c.isForeign() || c.Flag(launcherKey) != "" })
}

// has reports whether a verb has a flag.
func (r *runner) has(verb, flag string) bool {
	return slices.ContainsFunc(r.Verbs, func(v Verb) bool { return v.Name == verb && slices.Contains(v.Flags, flag) })
}
