package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gobench/internal/unpack"
)

// Files returns the result files of a path: the path itself, which may be Stdin, or, for a
// directory, all files *.jsonl in it, compressed or not, and its subdirectories, sorted. A
// directory without such files is an error.
func Files(path string) ([]string, error) {
	if path == Stdin {
		return []string{path}, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		var cause *fs.PathError
		if errors.As(err, &cause) {
			err = cause.Err // without "stat"
		}
		return nil, fmt.Errorf("cannot read results: %s: %w", path, err)
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	var files []string
	err = filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(unpack.Stem(name), ".jsonl") {
			files = append(files, name)
		}
		return err
	})
	if err == nil && len(files) == 0 {
		err = errors.New("it holds no file *.jsonl")
	}
	if err != nil {
		return files, fmt.Errorf("cannot read results in the directory %s: %w", path, err)
	}
	slices.Sort(files)
	return files, nil
}

// Load reads all result files of a path into one File, without rows that seen has seen
// (Repeats.Drop). If a file cannot be read to its end, the File holds the rows before the error,
// and the error joins one sentence for each such file.
func Load(path string, seen *Repeats) (*File, error) {
	return load(path, seen, ReadFile)
}

func load(path string, seen *Repeats, read func(name string) (*File, error)) (*File, error) {
	all := &File{}
	names, err := Files(path)
	failed := []error{err}
	for _, name := range names {
		file, err := read(name)
		failed = append(failed, err)
		seen.Drop(file, name)
		all.Append(file)
	}
	return all, errors.Join(failed...)
}
