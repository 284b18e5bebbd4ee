package comparing

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gobench/bench/compare"
	"gobench/bench/record"
	"gobench/internal/terminal"
	"gobench/report"
	"gobench/report/comparison"
)

// Asked is the command line of gobench compare.
type Asked struct {
	By       string
	Base     string
	Metric   string
	Effect   Effect
	Gate     bool
	Detect   string // slowdown that a gate must be able to find; "" = the default of compare.Options
	Across   bool   // a gate may compare unlike machines
	Form     report.Form
	JUnit    string // files to which other forms are written; "" = none
	Markdown string
	Benchfmt string // folder
}

// GateError says how a gate ended that did not pass. What was found has been
// printed.
type GateError struct{ Conclusion compare.Conclusion }

func (e *GateError) Error() string { return "" }

// UsageError is a mistake of the person who asked.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }

// Compare compares and prints. Where a file cannot be read to its end, what stands before is
// compared and printed, and the error returned: such a gate never passes. A side of which nothing
// can be read leaves nothing to print.
func Compare(a Asked, paths []string, stdout, stderr io.Writer) error {
	if a.By == "" && len(paths) < 2 {
		return &UsageError{errors.New("compare needs two files or folders, or a factor inside of one, such as --by=transport")}
	}
	options := compare.Options{By: a.By, Base: a.Base, Metric: a.Metric, Gate: a.Gate, AcrossMachines: a.Across}
	if err := a.Effect.Fill(&options, stderr); err != nil {
		return err
	}
	if a.Detect != "" {
		v, err := Share("--detect", a.Detect)
		if err == nil && v == 0 {
			err = &UsageError{errors.New("--detect is 0: no number of launches finds every slowdown")}
		}
		if err != nil {
			return err
		}
		options.Detect = v
	}
	sources, unreadable := load(paths, stderr)
	if unreadable != nil && slices.ContainsFunc(sources, func(s compare.Source) bool { return len(s.File.Points) == 0 }) {
		return unreadable
	}
	result, err := compare.Compare(sources, options)
	if err != nil {
		if unreadable != nil {
			return unreadable
		}
		return &UsageError{err}
	}
	if err := a.print(stdout, result); err != nil {
		return err
	}
	switch {
	case unreadable != nil:
		return unreadable
	case result.Nothing != "":
		return &UsageError{errors.New(result.Nothing)}
	case result.Gate != nil && result.Gate.Conclusion != compare.Passed:
		return &GateError{result.Gate.Conclusion}
	}
	return nil
}

// print prints the form that was asked for, and writes the others to their files.
func (a *Asked) print(stdout io.Writer, r *compare.Result) error {
	var err error
	switch a.Form {
	case report.JSON:
		err = comparison.JSON(stdout, r)
	case report.CSV:
		err = comparison.CSV(stdout, r)
	default:
		err = comparison.Table(stdout, terminal.Of(stdout), r)
	}
	if err != nil {
		return err
	}
	for _, f := range []struct {
		path  string
		write func(io.Writer, *compare.Result) error
	}{{a.JUnit, comparison.JUnit}, {a.Markdown, comparison.Markdown}} {
		if f.path == "" {
			continue
		}
		if err := write(f.path, func(w io.Writer) error { return f.write(w, r) }); err != nil {
			return err
		}
	}
	if a.Benchfmt == "" {
		return nil
	}
	taken := map[string]bool{}
	for _, side := range r.Sides {
		var points []record.Point
		for _, p := range r.Points(side.Name) {
			points = append(points, *p)
		}
		name := fileName(side.Name)
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s-%d", fileName(side.Name), n)
		}
		taken[name] = true
		path := filepath.Join(a.Benchfmt, name+".txt")
		if err := write(path, func(w io.Writer) error { return record.WriteBenchfmt(w, points) }); err != nil {
			return err
		}
	}
	return nil
}

// fileName makes the name of a side the name of a file.
func fileName(side string) string {
	side = strings.TrimSuffix(filepath.Clean(side), ".jsonl")
	return strings.Trim(strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\: ,=`, r) {
			return '-'
		}
		return r
	}, side), "-.")
}

// write makes a file, and its folder where there is none.
func write(path string, fill func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("cannot write the comparison: %w", err)
	}
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("cannot write the comparison: %w", err)
	}
	err = fill(f)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("cannot write the comparison: %w", err)
	}
	return nil
}
