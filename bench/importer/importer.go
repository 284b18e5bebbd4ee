// Package importer converts logs of other programs to records, so that their results can be
// compared with those of gobench: the Intel MPI Benchmarks, the OSU Micro-Benchmarks, the NAS
// Parallel Benchmarks, perftest, NetPIPE, ucx_perftest, fi_pingpong, nccl-tests, and programs that
// print rows of records.
//
// A log has less information than a record; unknown fields are absent. Most programs print a mean,
// which is marked as one (record.Value.Statistic); the method of a point names the values averaged.
//
// Importing the same log always gives the same run: its ID is derived from the SHA-256 of the log,
// which is also in the run.
package importer

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gobench/bench/record"
	"gobench/internal/lazyregexp"
	"gobench/internal/terminal"
)

// Given holds facts about a log that the log itself does not state.
type Given struct {
	Library   string // "Open MPI 4.1.4"; "" = the name of the program that wrote the log
	Transport string // "" = as in the log, else "unknown"
	Ranks     int    // 0 = as in the log
	Bench     string // benchmark of a log that does not name it, such as those of nccl-tests and perftest
	Format    string // name of the program that wrote the log (Formats), "" = detected by its content
	Time      time.Time
}

// A format is the log format of one program.
type format struct {
	name    string             // of the program
	version *lazyregexp.Regexp // its first group is the version; nil if logs do not contain it
	is      func(log []byte) bool
	read    func(l *log) error
}

// formats lists the formats in the order in which they are tried.
var formats = []format{
	{"NPB", npbVersion, isNPB, importNPB},
	{"IMB", imbVersion, isIMB, importIMB},
	{"OSU", osuVersion, isOSU, importOSU},
	{"perftest", nil, isPerftest, importPerftest},
	{"ucx_perftest", nil, isUCX, importUCX},
	{"fi_pingpong", nil, isFabric, importFabric},
	{"nccl-tests", ncclVersion, isNCCL, importNCCL},
	{"jsonl", nil, isJSONL, importJSONL},
	{"NetPIPE", nil, isNetPIPE, importNetPIPE},
}

// Formats returns the valid values of Given.Format.
func Formats() []string {
	var names []string
	for _, f := range formats {
		names = append(names, strings.ToLower(f.name))
	}
	return names
}

// A FormatError reports a log of an unknown format.
type FormatError struct{ Name string }

func (e *FormatError) Error() string {
	return fmt.Sprintf("%s: not a log of IMB, OSU, NPB, perftest, NetPIPE, ucx_perftest, fi_pingpong or nccl-tests, nor rows of records", e.Name)
}

// Import converts a log; name identifies it in errors and in the record. With an error it returns
// the points before it. A log without results is an error.
func Import(name string, data []byte, given Given) (record.Run, []record.Point, error) {
	f := formatOf(data)
	if i := slices.Index(Formats(), given.Format); i >= 0 {
		f = &formats[i]
	}
	if f == nil {
		return record.Run{}, nil, &FormatError{name}
	}
	return f.importLog(name, data, given)
}

// formatOf returns the format of a log by its content, nil if it is unknown.
func formatOf(data []byte) *format {
	for i := range formats {
		if formats[i].is(data) {
			return &formats[i]
		}
	}
	return nil
}

func (f *format) importLog(name string, data []byte, given Given) (record.Run, []record.Point, error) {
	l := newLog(name, f, data, given)
	err := f.read(l)
	if err == nil && len(l.points) == 0 {
		err = fmt.Errorf("%s holds no results (it was read as %s)", name, f.name)
	}
	return l.finish(), l.points, err
}

// A log is the state of an import.
type log struct {
	name    string
	program string // that wrote it
	version string // of that program, "" if unknown
	given   Given
	lines   []string
	at      int // current line, from 0
	run     record.Run
	points  []record.Point
	most    int // ranks of the largest point
}

func newLog(name string, f *format, data []byte, given Given) *log {
	l := &log{name: name, program: f.name, given: given}
	// All text of a log that enters a record passes this filter.
	plain := terminal.Plain(strings.NewReplacer("\t", " ", "\r\n", "\n").Replace(string(data)), '\n')
	for line := range strings.Lines(plain) {
		l.lines = append(l.lines, strings.TrimSuffix(line, "\n"))
	}
	if l.given.Library == "" {
		l.given.Library = f.name
	}
	digest := sha256.Sum256(data)
	sum := hex.EncodeToString(digest[:])
	l.run = record.Run{
		ID: "log-" + sum[:16], Time: given.Time, Command: []string{"gobench", "import", name},
		Source: &record.Source{Name: name, SHA256: sum},
	}
	program := map[string]any{"name": f.name, "version": f.name}
	if f.version != nil {
		if m := f.version.FindStringSubmatch(plain); m != nil {
			l.version = m[1]
			program["version"] = f.name + " " + l.version
		}
	}
	l.run.Program = program
	l.warn("imported from a log of %s", f.name)
	if last := len(l.lines) - 1; last >= 0 && !bytes.HasSuffix(data, []byte("\n")) {
		l.lines = l.lines[:last] // its last number may be truncated
		l.warn("the last line of the log is incomplete and is left out")
	}
	return l
}

// mostWarnings bounds the warnings of one log.
const mostWarnings = 100

func (l *log) warn(format string, args ...any) {
	text := terminal.Plain(fmt.Sprintf(format, args...))
	if len(l.run.Warnings) < mostWarnings && !slices.Contains(l.run.Warnings, text) {
		l.run.Warnings = append(l.run.Warnings, text)
	}
}

func (l *log) fail(format string, args ...any) error {
	return &record.FileError{Path: l.name, Line: l.at + 1, Err: errors.New(terminal.Plain(fmt.Sprintf(format, args...)))}
}

// writer returns the name of the program with its version, for messages.
func (l *log) writer() string { return strings.TrimSpace(l.program + " " + l.version) }

// point returns a new point of this log.
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

// add validates and adds a point. A violated rule of records is an error of the log.
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
	if slices.Contains([]string{"perftest", "NetPIPE", "ucx_perftest", "fi_pingpong", "jsonl"}, l.program) {
		launcher = "none"
	}
	l.run.Job = record.Job{Launcher: launcher, Ranks: max(1, l.most)}
	return l.run
}

// mean returns a value that is a mean.
func mean(x float64) record.Value { return record.Value{Median: x, N: 1, Statistic: record.Mean} }

// rate adds the bandwidth to a time, if both exist.
func rate(p *record.Point, key string, amount int64) {
	if t := p.Metrics[key]; t.Median > 0 && amount > 0 {
		p.Amount = amount
		t.Median = float64(amount) / t.Median
		p.Metrics["bandwidth_Bps"] = t
	}
}

// batch records that events were timed together.
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

// StatesRanks reports whether the log of a program contains the number of ranks of each result,
// which may be less than the number of started processes.
func StatesRanks(name string) bool { return name == "imb" || name == "npb" }

// ReadsServer reports whether the log of a program consists of the output of its server and that of
// its client, because each prints a part.
func ReadsServer(name string) bool { return name == "ucx_perftest" }
