package comparison

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gobench/compare"
	"gobench/internal/collect"
	"gobench/internal/exit"
	"gobench/internal/report/export"
	"gobench/record"
)

// Files are the files of a comparison, "" = none.
type Files struct {
	JUnit    string // JUnit XML
	Markdown string // a comment for a pull request
	Benchfmt string // a directory with one file for each side, as benchstat reads them
}

// Write writes the files, and creates directories that do not exist.
func (f *Files) Write(r *compare.Result) error {
	err := errors.Join(
		write(f.JUnit, func(w io.Writer) error { return JUnit(w, r) }),
		write(f.Markdown, func(w io.Writer) error { return Markdown(w, r) }))
	if err != nil || f.Benchfmt == "" {
		return err
	}
	taken := map[string]bool{}
	for _, side := range r.Sides {
		name := fileName(side.Name)
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s-%d", fileName(side.Name), n)
		}
		taken[name] = true
		points := collect.Each(r.Points(side.Name), func(p *record.Point) record.Point { return *p })
		path := filepath.Join(f.Benchfmt, name+".txt")
		if err := write(path, func(w io.Writer) error { return record.WriteBenchfmt(w, points) }); err != nil {
			return err
		}
	}
	return nil
}

// fileName returns the name of the file of a side.
func fileName(side string) string {
	side = strings.TrimSuffix(filepath.Clean(side), ".jsonl")
	return strings.Trim(strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\: ,=`, r) {
			return '-'
		}
		return r
	}, side), "-.")
}

// write writes a file unless its path is empty.
func write(path string, contents func(io.Writer) error) error {
	if path == "" {
		return nil
	}
	if err := record.CheckReplace(path); err != nil {
		return &exit.UsageError{Err: err}
	}
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = export.Replace(path, contents)
	}
	if err != nil {
		return fmt.Errorf("cannot write the comparison: %w", err)
	}
	return nil
}
