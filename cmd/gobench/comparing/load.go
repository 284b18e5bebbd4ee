// Package comparing carries out gobench compare: it reads the files, compares,
// and prints in all forms that were asked for.
package comparing

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gobench/bench/compare"
	"gobench/bench/record"
)

// load reads files, and all files *.jsonl of folders, each argument one side. What
// could be read of an unreadable file is in the sources as well; the first such error is returned.
func load(paths []string, warnings io.Writer) ([]compare.Source, error) {
	var sources []compare.Source
	var unreadable error
	for _, path := range paths {
		file, err := read(path, warnings)
		if err != nil && unreadable == nil {
			unreadable = err
		}
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

func read(path string, warnings io.Writer) (*record.File, error) {
	all := &record.File{}
	paths, err := files(path)
	if err != nil {
		return all, err
	}
	var unreadable error
	for _, p := range paths {
		file, err := record.ReadFile(p)
		all.Runs = append(all.Runs, file.Runs...)
		all.Points = append(all.Points, file.Points...)
		all.Launches = append(all.Launches, file.Launches...)
		for _, w := range file.Warnings {
			fmt.Fprintf(warnings, "gobench: %s\n", w)
		}
		if err != nil && unreadable == nil {
			unreadable = err
		}
	}
	return all, unreadable
}

// files are a file itself, or the files of records in a folder and those below.
func files(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read results: %w", err)
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	var list []string
	err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(p, ".jsonl") {
			list = append(list, p)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("cannot read results: %w", err)
	}
	if len(list) == 0 {
		return nil, errors.New("cannot read results: there is no file *.jsonl in " + path)
	}
	return list, nil
}
