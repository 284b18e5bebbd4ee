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
	Version   string
}

// Import reads logs, appends their records to the file and prints them. What could be read
// of a log that is cut off is kept; the first error is returned at the end.
func Import(a Asked, paths []string, stdout, stderr io.Writer) error {
	var unreadable error
	var runs []record.Run
	points := map[string][]record.Point{}
	var keys []string
	for _, path := range paths {
		run, list, err := a.read(path)
		if err != nil && unreadable == nil {
			unreadable = err
		}
		if len(list) == 0 {
			continue
		}
		run.Program = map[string]string{"version": a.Version}
		runs = append(runs, run)
		points[run.ID] = list
		for _, p := range list {
			for key := range p.Metrics {
				keys = append(keys, key)
			}
		}
	}
	if len(runs) == 0 {
		return unreadable
	}
	out, err := record.Open(a.File)
	if err != nil {
		return err
	}
	for _, w := range out.Warnings() {
		fmt.Fprintf(stderr, "gobench: %s\n", w)
	}
	printer, err := report.NewPrinter(stdout, terminal.Of(stdout), a.Form, keys)
	if err != nil {
		return err
	}
	for _, run := range runs {
		err = errors.Join(err, out.WriteRun(&run), printer.Run(run))
		for _, p := range points[run.ID] {
			err = errors.Join(err, out.WritePoint(&p), printer.Point(p))
		}
		if err != nil {
			out.Close()
			return err
		}
	}
	return errors.Join(printer.End(), out.Close(), unreadable)
}

// largestLog bounds the memory that a log takes.
const largestLog = 256 << 20

func (a *Asked) read(path string) (record.Run, []record.Point, error) {
	info, err := os.Stat(path)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > largestLog) {
		err = fmt.Errorf("%s is no log", path)
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		if p, ok := errors.AsType[*fs.PathError](err); ok {
			err = fmt.Errorf("%s: %w", p.Path, p.Err)
		}
		return record.Run{}, nil, fmt.Errorf("cannot read the log: %w", err)
	}
	when := time.Now()
	if info != nil {
		when = info.ModTime() // the best guess of when it was measured
	}
	return importer.Import(path, data, importer.Given{Library: a.Library, Transport: a.Transport, Ranks: a.Ranks, Time: when.UTC()})
}
