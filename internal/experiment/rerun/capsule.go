package rerun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gobench/internal/collect"
	"gobench/internal/exit"
	"gobench/internal/human"
	"gobench/internal/launch/child"
	"gobench/internal/remedy"
	"gobench/internal/report/cell"
	"gobench/internal/report/document"
	"gobench/internal/terminal"
	"gobench/record"
	"gobench/report/capsule"
)

// An Outcome holds the results of the claims of a capsule after its repetition.
type Outcome struct {
	Then, Now *cell.Set
	Results   []capsule.Result
	Failed    []error // of steps, see Run
}

// Commands writes the commands that repeat the measurements of a capsule as lines of a shell, and
// the time that they are expected to take as a comment.
func Commands(archive string, w io.Writer) error {
	directory, err := os.MkdirTemp("", "gobench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(directory)
	then, err := capsule.Open(archive, filepath.Join(directory, "capsule"))
	if err != nil {
		return err
	}
	steps, _ := document.Repeat(cell.SetOf(then))
	_, err = fmt.Fprintf(w, "%s\n# about %v\n", terminal.Plain(strings.Join(document.Shell(steps), "\n"), '\n'), capsule.Expected(then))
	return err
}

// Capsule unpacks a capsule into o.Directory, which must not exist, repeats its measurements there,
// and tests its claims. The directory is removed again if the capsule is not intact. The Outcome is
// never nil.
func Capsule(ctx context.Context, archive string, o Options) (*Outcome, error) {
	out := &Outcome{}
	directory := cmp.Or(o.Directory, strings.TrimSuffix(filepath.Base(archive), capsule.Suffix)+"-rerun")
	if err := os.Mkdir(directory, 0o777); err != nil {
		return out, remedy.Errorf("cannot keep the records of the repetition: %w; name another directory with %v", err, remedy.Named("output"))
	}
	then, err := capsule.Open(archive, filepath.Join(directory, "capsule"))
	if err != nil {
		return out, errors.Join(err, os.RemoveAll(directory))
	}
	out.Then = cell.SetOf(then)
	o.Directory = filepath.Join(directory, "new")
	if err := os.Mkdir(o.Directory, 0o777); err != nil {
		return out, err
	}
	steps, names := document.Repeat(out.Then)
	if out.Failed, err = Run(ctx, steps, o); err != nil {
		return out, fmt.Errorf("%w; the records so far are in %s", err, o.Directory)
	}
	var paths []string
	for _, name := range names {
		path := filepath.Join(o.Directory, name)
		if _, err := os.Stat(path); err == nil {
			paths = append(paths, path)
		}
	}
	if out.Now, err = cell.Load(paths, record.Selection{}); err != nil {
		return out, err
	}
	out.Results, err = capsule.Judge(then, out.Now.Sources, o.Tolerance)
	for i := range out.Results {
		if r := &out.Results[i]; r.Why == capsule.Absent && len(out.Failed) > 0 {
			r.Why += ": " + human.Count(len(out.Failed), "command", "commands") + " failed"
		}
	}
	return out, err
}

// Warnings returns a sentence for each part of the records that does not count, and for each step
// that did not run to its end.
func (o *Outcome) Warnings() (list []string) {
	for _, s := range []*cell.Set{o.Then, o.Now} {
		if s != nil {
			list = append(list, s.Warnings...)
		}
	}
	list = append(list, collect.Each(o.Failed, error.Error)...)
	return list
}

// Print prints the results, at most width columns wide; 0 = a default. It returns nil if all claims
// hold, else an *exit.ReportedError.
func (o *Outcome) Print(w io.Writer, width int) error {
	if err := capsule.Print(w, o.Then.Sources, o.Now.Sources, o.Results, width); err != nil {
		return err
	}
	for _, err := range o.Failed {
		if ended, ok := errors.AsType[*child.ExitError](err); ok && ended.Code == exit.Data {
			return &exit.ReportedError{Code: exit.Data, Err: err}
		}
	}
	switch counts := capsule.Count(o.Results); {
	case counts[capsule.Fails] > 0:
		return &exit.ReportedError{Code: exit.Regression, Err: errors.New("some claims fail")}
	case counts[capsule.Holds] < len(o.Results) || len(o.Results) == 0:
		return &exit.ReportedError{Code: exit.Noisy, Err: errors.New("some claims are not measured")}
	}
	return nil
}
