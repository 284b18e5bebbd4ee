package importer

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"gobench/bench/record"
	"gobench/internal/terminal"
)

// Imported holds the records of one log.
type Imported struct {
	Run    record.Run
	Points []record.Point
}

// Load reads and imports logs; the path "-" is stdin. The time of a log is the modification time of
// its file. If some logs cannot be read, the error is an *UnreadableError and nothing is returned.
func Load(paths []string, stdin io.Reader, given Given) ([]Imported, error) {
	var logs []Imported
	var unreadable []error
	for _, path := range paths {
		run, points, err := load(path, stdin, given)
		if err != nil {
			unreadable = append(unreadable, err)
		}
		logs = append(logs, Imported{run, points})
	}
	if len(unreadable) > 0 {
		return nil, &UnreadableError{Errs: unreadable, Of: len(paths)}
	}
	return logs, nil
}

// UnreadableError lists the logs that cannot be read, one sentence for each.
type UnreadableError struct {
	Errs []error
	Of   int // number of all logs
}

func (e *UnreadableError) Error() string {
	all := errors.Join(e.Errs...).Error()
	if e.Of > 1 {
		all += fmt.Sprintf("\n%d of %d logs cannot be read: nothing is imported", len(e.Errs), e.Of)
	}
	return all
}

func (e *UnreadableError) Unwrap() []error { return e.Errs }

// largestLog bounds the size of a log in bytes.
const largestLog = 256 << 20

func load(path string, stdin io.Reader, given Given) (record.Run, []record.Point, error) {
	name, data, when, err := readLog(path, stdin)
	if err == nil && len(data) > largestLog {
		err = fmt.Errorf("%s: it is larger than %d MiB", name, largestLog>>20)
	}
	if err != nil {
		if p, ok := errors.AsType[*fs.PathError](err); ok {
			err = fmt.Errorf("%s: %w", p.Path, p.Err)
		}
		return record.Run{}, nil, fmt.Errorf("cannot read the log: %w", err)
	}
	given.Time = when.UTC()
	return Import(terminal.Plain(name), data, given)
}

// readLog reads a log and its modification time, the best estimate of the time of the measurement.
func readLog(path string, stdin io.Reader) (name string, data []byte, when time.Time, err error) {
	name, when = path, time.Now()
	if path == "-" {
		name = "standard input"
	} else {
		f, err := os.Open(path)
		if err != nil {
			return name, nil, when, err
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			when = info.ModTime()
		}
		stdin = f
	}
	data, err = io.ReadAll(io.LimitReader(stdin, largestLog+1))
	return name, data, when, err
}
