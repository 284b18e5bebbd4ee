package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gobench/internal/collect"
	"gobench/internal/unpack"
)

// Files returns the result files of a path: the path itself, which may be Stdin, or, for a
// directory, all visible files *.jsonl in it, compressed or not, sorted. A directory without such
// files is an error.
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
	files, err := Visible(path)
	files = collect.If(files, func(name string) bool { return strings.HasSuffix(unpack.Stem(name), ".jsonl") })
	if err == nil && len(files) == 0 {
		err = errors.New("it holds no file *.jsonl")
	}
	if err != nil {
		return files, fmt.Errorf("cannot read results in the directory %s: %w", path, err)
	}
	slices.Sort(files)
	return files, nil
}

// Visible returns the paths of all files in a directory, which may be a symbolic link, and in its
// subdirectories, but hidden ones: editors keep locks and copies in these. Links to files are
// followed.
func Visible(dir string) (files []string, err error) {
	root := dir + string(filepath.Separator) // else a link is not followed
	err = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(entry.Name(), ".") && name != root
		switch {
		case err != nil:
			return err
		case hidden && entry.IsDir():
			return filepath.SkipDir
		case hidden:
			return nil
		}
		mode := entry.Type()
		if info, err := os.Stat(name); mode&fs.ModeSymlink != 0 && err == nil {
			mode = info.Mode()
		}
		if mode.IsRegular() || mode&fs.ModeSymlink != 0 { // to nothing: reading it says so
			files = append(files, name)
		}
		return nil
	})
	return files, err
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
