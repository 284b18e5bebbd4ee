// Package comparing carries out gobench compare: it reads the files, compares,
// and prints in all forms that were asked for.
package comparing

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"gobench/bench/compare"
	"gobench/bench/record"
)

// load reads files, and all files *.jsonl of folders, each argument one side. What
// could be read of an unreadable file is in the sources as well; the error joins one sentence for each.
func load(paths []string, warnings io.Writer) ([]compare.Source, error) {
	var sources []compare.Source
	var unreadable error
	for _, path := range paths {
		file, err := read(path, warnings)
		unreadable = errors.Join(unreadable, err)
		sources = append(sources, compare.Source{Name: unique(path, sources), File: file})
	}
	return sources, unreadable
}

// unique names a side by its path; the same path again is another side.
func unique(path string, sources []compare.Source) string {
	name := path
	for n := 2; slices.ContainsFunc(sources, func(s compare.Source) bool { return s.Name == name }); n++ {
		name = fmt.Sprintf("%s (%d)", path, n)
	}
	return name
}

// read reads a file or folder and prints what is to be said of it.
func read(path string, warnings io.Writer) (*record.File, error) {
	file, err := record.LoadResults(path)
	for _, w := range file.Warnings {
		fmt.Fprintf(warnings, "gobench: %s\n", w)
	}
	return file, err
}
