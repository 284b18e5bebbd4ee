// Package importing carries out gobench import: it makes records of logs of other
// programs, and prints them.
package importing

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"gobench/bench/importer"
	"gobench/bench/record"
	"gobench/internal/terminal"
	"gobench/report"
)

// Asked is the command line of gobench import.
type Asked struct {
	Library   string
	Transport string
	Ranks     int
	File      string // of records
	Form      report.Form
}

// imported is what was read of a log.
type imported struct {
	run    record.Run
	points []record.Point
}

// Import reads logs, "-" for stdin, appends their records to the file and prints them. Unless all of
// them can be read, nothing is appended. A log that the file holds already adds nothing, which is no
// error: it is no launch more.
func Import(a Asked, paths []string, stdin io.Reader, stdout, stderr io.Writer) error {
	var logs []imported
	var unreadable []error
	for _, path := range paths {
		run, points, err := a.read(path, stdin)
		if err != nil {
			unreadable = append(unreadable, err)
		}
		logs = append(logs, imported{run, points})
	}
	if len(unreadable) > 0 {
		return &UnreadableError{Errs: unreadable, Of: len(paths)}
	}
	out, err := record.Open(a.File)
	if err != nil {
		return err
	}
	for _, w := range out.Warnings() {
		fmt.Fprintf(stderr, "gobench: %s\n", w)
	}
	return errors.Join(a.add(out, logs, stdout, stderr), out.Close())
}

// add appends the logs that are new to the file, and prints them.
func (a *Asked) add(out *record.Writer, logs []imported, stdout, stderr io.Writer) error {
	held, err := held(a.File)
	if err != nil {
		return err
	}
	var fresh []imported
	var keys []string
	for _, l := range logs {
		if other := held.Imported(l.run.Source.SHA256); other != nil {
			fmt.Fprintf(stderr, "gobench: %s is in %s already, imported from %s: nothing is added\n", l.run.Source.Name, a.File, other.Source.Name)
			continue
		}
		held.Runs = append(held.Runs, l.run)
		fresh = append(fresh, l)
		for _, p := range l.points {
			for key := range p.Metrics {
				keys = append(keys, key)
			}
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	printer, err := report.NewPrinter(stdout, terminal.Of(stdout), a.Form, keys)
	if err != nil {
		return err
	}
	for i := range fresh {
		l := &fresh[i]
		err := errors.Join(out.WriteAll(&l.run, l.points), printer.Run(l.run))
		for _, p := range l.points {
			err = errors.Join(err, printer.Point(p))
		}
		if err != nil {
			return err
		}
	}
	return printer.End()
}

// held is what the file of records holds before anything is added; nothing of a pipe.
func held(path string) (*record.File, error) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return &record.File{}, nil
	}
	return record.ReadFile(path)
}

// UnreadableError says, a line for each, which logs cannot be read, and that none was imported.
type UnreadableError struct {
	Errs []error
	Of   int
}

func (e *UnreadableError) Error() string {
	all := errors.Join(e.Errs...).Error()
	if e.Of > 1 {
		all += fmt.Sprintf("\n%d of %d logs cannot be read: nothing is imported", len(e.Errs), e.Of)
	}
	return all
}

func (e *UnreadableError) Unwrap() []error { return e.Errs }

// largestLog bounds the memory that a log takes.
const largestLog = 256 << 20

func (a *Asked) read(path string, stdin io.Reader) (record.Run, []record.Point, error) {
	name, data, when, err := load(path, stdin)
	if err == nil && len(data) > largestLog {
		err = fmt.Errorf("%s: it is larger than %d MiB", name, largestLog>>20)
	}
	if err != nil {
		if p, ok := errors.AsType[*fs.PathError](err); ok {
			err = fmt.Errorf("%s: %w", p.Path, p.Err)
		}
		return record.Run{}, nil, fmt.Errorf("cannot read the log: %w", err)
	}
	name = terminal.Plain(name)
	return importer.Import(name, data, importer.Given{Library: a.Library, Transport: a.Transport, Ranks: a.Ranks, Time: when.UTC()})
}

// load reads a log, and when it was written: the best guess of when it was measured.
func load(path string, stdin io.Reader) (name string, data []byte, when time.Time, err error) {
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
