package comparing

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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
	Minimum  string // "2%" or "0.02"
	Floor    string // file or folder of records of the machine against itself
	Gate     bool
	Form     report.Form
	JUnit    string // files to which other forms are written; "" = none
	Markdown string
	Benchfmt string // folder
}

// Default is what is compared where nothing is asked for.
var Default = Asked{Minimum: "2%"}

// GateError says how a gate ended that did not pass. What was found has been
// printed.
type GateError struct{ Conclusion compare.Conclusion }

func (e *GateError) Error() string { return "" }

// UsageError is a mistake of the person who asked.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }

// Compare compares and prints. Where a file cannot be read to its end, what stands before is
// compared and printed, and the error returned: such a gate never passes.
func Compare(a Asked, paths []string, stdout, stderr io.Writer) error {
	options, err := a.options(len(paths))
	if err != nil {
		return &UsageError{err}
	}
	sources, unreadable := load(paths, stderr)
	if unreadable != nil && !slices.ContainsFunc(sources, func(s compare.Source) bool { return len(s.File.Points) > 0 }) {
		return unreadable
	}
	if a.Floor != "" {
		file, err := read(a.Floor, stderr)
		if err != nil {
			return err
		}
		options.Floor = compare.NewFloor(file)
		if options.Floor.Cells() == 0 {
			return fmt.Errorf("%s tells no noise floor: it needs 4 launches or more of a cell, as gobench sweep --aa makes them", a.Floor)
		}
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
	case result.Gate != nil && result.Gate.Conclusion != compare.Passed:
		return &GateError{result.Gate.Conclusion}
	}
	return nil
}

func (a *Asked) options(paths int) (compare.Options, error) {
	o := compare.Options{By: a.By, Base: a.Base, Metric: a.Metric, Gate: a.Gate}
	if a.By == "" && paths < 2 {
		return o, fmt.Errorf("compare needs two files or folders, or a factor inside of one, such as --by=transport")
	}
	digits, percent := strings.CutSuffix(strings.TrimSpace(a.Minimum), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v >= 0 && v < 10) {
		return o, fmt.Errorf("--min-effect is %q, want a share of the value such as 5%% or 0.05", a.Minimum)
	}
	if o.Minimum = v; v == 0 {
		o.Minimum = -1
	}
	return o, nil
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
	for _, side := range r.Sides {
		var points []record.Point
		for _, p := range r.Points(side.Name) {
			points = append(points, *p)
		}
		path := filepath.Join(a.Benchfmt, fileName(side.Name)+".txt")
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
