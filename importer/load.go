package importer

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"gobench/internal/terminal"
	"gobench/record"
)

// A Log holds the launches of one file.
type Log struct {
	Name     string
	Launches []Imported
}

// Load reads and imports logs: files, which may be compressed by gzip, bzip2 or zstd, all files in
// directories, and stdin for the path "-". It returns the logs that can be read. If some cannot be
// read, the error is an *UnreadableError. Files of directories that are no logs are listed in
// others.
func Load(paths []string, stdin io.Reader, given Given) (logs []Log, others []string, err error) {
	var unreadable []error
	files := 0
	for _, path := range paths {
		inside, err := filesOf(path)
		if err != nil {
			unreadable = append(unreadable, reading(err))
			files++
			continue
		}
		for _, file := range inside {
			found, err := load(file, stdin, given)
			_, unknown := errors.AsType[*FormatError](err)
			dangling := errors.Is(err, fs.ErrNotExist)
			if file != path && (unknown || dangling || errors.Is(err, errRecords)) {
				others = append(others, file)
				continue
			}
			if files++; err != nil {
				unreadable = append(unreadable, err)
				continue
			}
			logs = append(logs, Log{nameOf(file), found})
		}
		if len(inside) == 0 {
			unreadable = append(unreadable, fmt.Errorf("cannot read the log: %s: the directory has no files", path))
			files++
		}
	}
	if files == 0 {
		unreadable = append(unreadable, fmt.Errorf("none of the %d files is a log of a known program", len(others)))
		files = len(others)
	}
	if len(unreadable) > 0 {
		err = &UnreadableError{Errs: unreadable, Of: files}
	}
	return logs, others, err
}

// filesOf returns the path of a file, or the paths of all files in a directory but hidden ones.
func filesOf(path string) ([]string, error) {
	if path == "-" {
		return []string{path}, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	return record.Visible(path)
}

// UnreadableError lists the logs that cannot be read, one sentence for each.
type UnreadableError struct {
	Errs []error
	Of   int // number of all logs
}

func (e *UnreadableError) Error() string { return errors.Join(e.Errs...).Error() }

func (e *UnreadableError) Unwrap() []error { return e.Errs }

// largestLog bounds the size of a log in bytes.
const largestLog = 256 << 20

func load(path string, stdin io.Reader, given Given) ([]Imported, error) {
	name, data, err := readLog(path, stdin)
	if err == nil && len(data) > largestLog {
		err = fmt.Errorf("%s: it is larger than %d MiB", name, largestLog>>20)
	}
	if err != nil {
		return nil, reading(err)
	}
	return Import(terminal.Plain(name), data, given)
}

// reading returns the error of a log that could not be opened or read.
func reading(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = fmt.Errorf("%s: %w", p.Path, p.Err)
	}
	return fmt.Errorf("cannot read the log: %w", err)
}

// stdinName is the name of the log that standard input is.
const stdinName = "standard input"

// nameOf returns the name of a log in messages and records.
func nameOf(path string) string {
	if path == "-" {
		return stdinName
	}
	return terminal.Plain(path)
}

func readLog(path string, stdin io.Reader) (name string, data []byte, err error) {
	if name = path; path == "-" {
		name = nameOf(path)
	} else {
		f, err := os.Open(path)
		if err != nil {
			return name, nil, err
		}
		defer f.Close()
		stdin = f
	}
	data, err = io.ReadAll(io.LimitReader(stdin, largestLog+1))
	return name, data, err
}
