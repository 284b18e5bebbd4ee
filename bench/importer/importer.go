// Package importer makes records of the logs of other programs, so that native
// libraries stand in the same tables and figures: the Intel MPI Benchmarks, the OSU
// Micro-Benchmarks, the NAS Parallel Benchmarks, perftest and NetPIPE.
//
// A log says less than a record. What it does not say is absent, and a warning of the run
// says what a number is there: most programs print a mean, which stands as one
// value of all events timed together (batched).
package importer

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"gobench/bench/record"
)

// Given is what a person knows of a log that the log itself does not say.
type Given struct {
	Library   string // "Open MPI 4.1.4"; "" = the name of the program that wrote the log
	Transport string // "" = what the log says, else "unknown"
	Ranks     int    // 0 = what the log says
	Time      time.Time
}

// format is one program's way to write.
type format struct {
	name string // of the program
	is   func(log []byte) bool
	read func(l *log) error
}

// formats in the order in which they are tried.
var formats = []format{
	{"NPB", isNPB, importNPB},
	{"IMB", isIMB, importIMB},
	{"OSU", isOSU, importOSU},
	{"perftest", isPerftest, importPerftest},
	{"NetPIPE", isNetPIPE, importNetPIPE},
}

// UnknownError says that nobody is known to write such a log.
type UnknownError struct{ Name string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("%s: not a log of IMB, OSU, NPB, perftest or NetPIPE", e.Name)
}

// LineError says what is wrong in a log, and where.
type LineError struct {
	Name string
	Line int
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.Name, e.Line, e.Err) }
func (e *LineError) Unwrap() error { return e.Err }

// Import reads a log; name says which one in errors and in the record. With an error comes
// what was read before it. The run has no points where the log has no results, which
// is an error too.
func Import(name string, data []byte, given Given) (record.Run, []record.Point, error) {
	for _, f := range formats {
		if !f.is(data) {
			continue
		}
		l := newLog(name, f.name, data, given)
		err := f.read(l)
		if err == nil && len(l.points) == 0 {
			err = fmt.Errorf("%s: the log of %s holds no results", name, f.name)
		}
		return l.finish(), l.points, err
	}
	return record.Run{}, nil, &UnknownError{name}
}

// log is a log that is being read.
type log struct {
	name    string
	program string
	given   Given
	lines   []string
	at      int // line that is being read, from 0
	run     record.Run
	points  []record.Point
	most    int // ranks of the largest point
}

func newLog(name, program string, data []byte, given Given) *log {
	l := &log{name: name, program: program, given: given}
	for line := range strings.Lines(string(data)) {
		l.lines = append(l.lines, strings.TrimRight(line, "\r\n"))
	}
	if l.given.Library == "" {
		l.given.Library = program
	}
	l.run = record.Run{ID: record.NewID(given.Time), Time: given.Time, Command: []string{"gobench", "import", name}}
	l.warn("imported from a log of %s", program)
	return l
}

func (l *log) warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	for _, w := range l.run.Warnings {
		if w == text {
			return
		}
	}
	l.run.Warnings = append(l.run.Warnings, text)
}

func (l *log) fail(format string, args ...any) error {
	return &LineError{l.name, l.at + 1, fmt.Errorf(format, args...)}
}

// point begins a point of this log.
func (l *log) point(bench, transport, level string, ranks int) record.Point {
	p := record.Point{
		Run: l.run.ID, Time: l.given.Time, Bench: bench, Library: l.given.Library, Transport: transport, Level: level,
		Ranks: ranks, RankKind: "process", Metrics: map[string]record.Value{},
	}
	if l.given.Transport != "" {
		p.Transport = l.given.Transport
	}
	if l.given.Ranks != 0 {
		p.Ranks = l.given.Ranks
	}
	return p
}

// add takes a point. What breaks a rule of records is an error of the log.
func (l *log) add(p record.Point) error {
	if err := p.Validate(); err != nil {
		var invalid *record.InvalidError
		if errors.As(err, &invalid) {
			return l.fail("%s: %s", invalid.Field, invalid.Rule)
		}
		return l.fail("%v", err)
	}
	l.points = append(l.points, p)
	l.most = max(l.most, p.Ranks)
	return nil
}

func (l *log) finish() record.Run {
	launcher := "mpi"
	if l.program == "perftest" || l.program == "NetPIPE" {
		launcher = "none"
	}
	l.run.Job = record.Job{Launcher: launcher, Ranks: max(1, l.most)}
	return l.run
}

// mean is a value that stands for events timed together.
func mean(x float64) record.Value { return record.Value{Median: x, N: 1} }

// rate is the bandwidth that goes with a time, where both are there.
func rate(p *record.Point, key string, amount int64) {
	if t := p.Metrics[key].Median; t > 0 && amount > 0 {
		p.Amount = amount
		p.Metrics["bandwidth_Bps"] = mean(float64(amount) / t)
	}
}

// batch notes that events were timed together.
func batch(p *record.Point, events int64) {
	p.Iterations = max(1, events)
	if events > 1 {
		p.Batched = int(events)
	}
}

func has(log []byte, words ...string) bool {
	for _, w := range words {
		if bytes.Contains(log, []byte(w)) {
			return true
		}
	}
	return false
}
