// Package importer converts logs of other programs to records, so that their results can be
// compared with those of gobench: the Intel MPI Benchmarks, the OSU Micro-Benchmarks, the NAS
// Parallel Benchmarks, perftest, NetPIPE, ucx_perftest, fi_pingpong, nccl-tests, and programs that
// print rows of records.
//
// A log may hold the output of several programs, of several formats, among other lines: each banner
// is the start of a program, and each program is a launch, with its own run. Prefixes of
// launchers and time stamps are removed, and the lines of each rank are read apart. A row that
// cannot be read is left out with a warning.
//
// A log has less information than a record; unknown fields are absent. Most programs print a mean,
// which is marked as one (record.Value.Statistic); the method of a point names the values averaged.
//
// Importing the same log always gives the same runs: the ID of a run is derived from the SHA-256 of
// the log up to its last row, so that a log that has grown adds what is new (Fresh).
package importer

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/terminal"
	"gobench/record"
)

// Given holds facts about a log that the log itself may not state. What it states wins.
type Given struct {
	Library   string  // "Open MPI 4.1.4"; "" = as in the log, else the name of the program that wrote it
	Transport string  // "" = as in the log, else "unknown"
	Ranks     int     // of results for which the log does not state them; 0 = such results are left out
	Size      int64   // bytes of messages whose log does not state them; 0 = these are left out
	Bench     string  // benchmark of a log that does not name it, such as those of nccl-tests and fabtests
	Format    string  // name of the program that wrote the log (Formats), "" = detected by its content
	Numbers   Numbers // of the format "numbers": where the results are in the log

	// Time at which the caller ran the program; zero = as in the log, else unknown.
	Time time.Time
	// Command is the command line with which the caller ran the program, "" = unknown.
	Command string
	// Ran states that the caller ran the program: Library and Transport are right whatever the log
	// says.
	Ran bool
	// Strict makes a row that cannot be read an error, instead of a warning.
	Strict bool
}

// A format is the log format of one program.
type format struct {
	name    string  // of the program
	family  string  // of the libraries that it measures: "mpi", "nccl", "ucx", "fabric" or ""
	version pattern // its first group is the version; nil if logs do not contain it

	// banners are the lines with which a program may begin. The last one heads the table. A banner
	// that was printed already, or that follows the table, begins another program; with tables a
	// program prints several tables, so that the last banner does not.
	banners []pattern
	tables  bool

	object func(fields map[string]json.RawMessage) bool // a JSON object is output of this program
	whole  func(lines []line) bool                      // a log without banners is output of this program
	read   func(l *log) error                           // reads the output of one program
}

// formats lists the formats in the order in which they are tried.
var formats []format

func init() { // formats refer to readers, which refer to formats
	formats = []format{
		npbFormat, imbFormat, osuFormat, perftestFormat, ucxFormat, fabricFormat, ncclFormat, jsonlFormat, netpipeFormat,
		sockperfFormat, netperfFormat, iperfFormat, fabtestsFormat, hplFormat, streamFormat, hyperfineFormat, goFormat, numbersFormat,
	}
}

// Formats returns the valid values of Given.Format.
func Formats() []string {
	return collect.Each(formats, func(f format) string { return strings.ToLower(f.name) })
}

// Programs lists the programs whose logs can be read, for messages: "NPB, IMB or OSU".
func Programs() string {
	var names []string
	for _, f := range formats {
		if f.name != jsonlFormat.name && f.name != numbersFormat.name {
			names = append(names, f.name)
		}
	}
	return human.Enumerate(names, "or")
}

// A FormatError reports a log of an unknown format.
type FormatError struct {
	Name     string
	Warnings []string // about parts of the log that look like one
}

func (e *FormatError) Error() string {
	text := fmt.Sprintf("%s: not a log of %s, nor rows of records", e.Name, Programs())
	return strings.Join(append([]string{text}, e.Warnings...), "; ")
}

// Imported holds the records of one launch of a program in a log.
type Imported struct {
	Run    record.Run
	Points []record.Point
	// Of the first launch in the log of a pod: the rows of the log that are neither runs nor
	// points, and what its reader warned of.
	Rest record.File
}

// Import converts a log; name identifies it in errors and in the records. It returns the launches
// in the order of the log; those of gobench, in the log of a pod, are as they were recorded. With
// an error it returns those before it. A log without results is an
// error.
func Import(name string, data []byte, given Given) ([]Imported, error) {
	var only *format
	if i := slices.Index(Formats(), given.Format); i >= 0 {
		only = &formats[i]
	}
	data, err := unpacked(data)
	if err == nil && len(data) > largestLog {
		err = fmt.Errorf("it is larger than %d MiB when it is decompressed", largestLog>>20)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the log: %s: %w", name, err)
	}
	text := decode(data)
	if rows, found, cut := marked(text); found {
		return own(name, rows, cut)
	}
	lines, complete := linesOf(text)
	im := importing{name: name, digest: sha256.Sum256(data), given: given, lines: lines}
	if bare := unprefix(lines, only); len(bare) > 0 {
		im.warn("%s", leftOut{"it lacks the prefix of the other lines of its program", bare})
	}
	programs := im.cut(only)
	if i := slices.IndexFunc(lines, func(l line) bool { return strings.Contains(l.text, "[ ID] Interval") }); i >= 0 {
		im.warn("line %d: the tables of iperf3 are not read: run iperf3 with -J", lines[i].number)
	}
	if len(programs) == 0 {
		if i := slices.IndexFunc(lines, func(l line) bool { return strings.HasPrefix(l.text, "#bytes #repetitions") }); i >= 0 {
			im.warn("line %d: a table of IMB is not read without the line \"# Benchmarking NAME\" above it", lines[i].number)
		}
		f := only
		for i := range formats {
			if f == nil && formats[i].whole != nil && formats[i].whole(lines) {
				f = &formats[i]
			}
		}
		if f == nil || len(lines) == 0 {
			return nil, &FormatError{name, im.warnings}
		}
		programs = []program{{form: f, lines: lines}}
	}
	if !complete {
		im.warn("the last line of the log is incomplete and is left out")
	}
	err = im.read(programs)
	im.identify()
	return im.launches, err
}

// An importing is the state of the import of one log.
type importing struct {
	name     string
	digest   [sha256.Size]byte
	given    Given
	lines    []line
	launches []Imported
	ends     []end    // of launches
	warnings []string // of programs without results, for the next launch
	stream   string   // of the last launch, "" if its other side was read
	heading  *log     // of ucx_perftest, the program before if it printed a heading only
}

// An end is where a launch ends: the number of the last line that holds a row of it, in a format.
type end struct {
	line   int
	format string
}

// warn adds a warning to the next launch.
func (im *importing) warn(format string, args ...any) {
	if len(im.warnings) < maxWarnings {
		im.warnings = append(im.warnings, terminal.Plain(fmt.Sprintf(format, args...)))
	}
}

// read reads the programs of a log.
func (im *importing) read(programs []program) error {
	// Of the lines between the rows of the program before and this one.
	before := facts{osu: osuCommandOf(im.given.Command)}
	begin := 0 // index of the first line that is not in before
	names := ""
	for i := range programs {
		p := &programs[i]
		l := newLog(im, p)
		if !strings.Contains(names, p.form.name) {
			names = strings.TrimPrefix(names+" and "+p.form.name, " and ")
		}
		first := p.lines[0].number
		im.observe(&before, begin, first)
		begin = max(begin, first)
		l.facts = before
		err := p.form.read(l)
		if last := l.lastRow(); last > 0 { // what follows may be of the next program
			im.observe(&l.facts, first, last)
			before = facts{stated: l.facts.stated, when: l.facts.when, zone: l.facts.zone}
			begin = max(begin, last)
		}
		l.finish()
		if err != nil {
			return err
		}
	}
	if len(im.launches) > 0 {
		first := &im.launches[len(im.launches)-1].Run
		for _, w := range im.warnings {
			warn(first, w)
		}
		return nil
	}
	text := fmt.Sprintf("%s holds no results (it was read as %s)", im.name, names)
	if len(im.warnings) > 0 {
		text += ": " + strings.Join(im.warnings[:min(len(im.warnings), 5)], "; ")
	}
	return errors.New(text)
}

// observe reads the facts of the lines from one index to another.
func (im *importing) observe(f *facts, from, to int) {
	for i := from; i < min(to, len(im.lines)); i++ {
		f.observe(im.lines[i])
	}
}

// identify derives the ID of each launch from the log up to its last row, whatever other launches
// the log holds. The launches of one program with one library are a series, which has the ID of the
// first of them: it stays the same when the log grows.
func (im *importing) identify() {
	digests := im.digests()
	nth := map[end]int{}
	series := map[string]string{}
	for i := range im.launches {
		run := &im.launches[i].Run
		end := im.ends[i]
		digest := sha256.Sum256(fmt.Appendf(nil, "%s%s %d", digests[end.line], end.format, nth[end]))
		nth[end]++
		id := derivedID(digest)
		run.ID = id
		program := programOf(&im.launches[i])
		if series[program] == "" {
			series[program] = id
		}
		run.Series = series[program]
		for k := range im.launches[i].Points {
			im.launches[i].Points[k].Run = id
		}
	}
}

// programOf returns a text that is equal for launches of one program with one library.
func programOf(l *Imported) string {
	library := ""
	if len(l.Points) > 0 { // else a record of a launch without results, in the log of a pod
		library = l.Points[0].Library
	}
	return fmt.Sprint(l.Run.Program, library)
}

// derivedID returns the ID of a run that is derived from a digest.
func derivedID(digest [sha256.Size]byte) string {
	return "log-" + hex.EncodeToString(digest[:])[:16]
}

// derived reports whether the ID of a run is derived from its log, and not that of a record.
func derived(id string) bool { return strings.HasPrefix(id, "log-") }

// copyID returns the ID of the launch of the n-th other file with a text.
func copyID(id string, n int) string {
	return derivedID(sha256.Sum256(fmt.Appendf(nil, "%s %d", id, n)))
}

// digests returns the SHA-256 of the log up to each last line of a launch, by its number.
func (im *importing) digests() map[int]string {
	digests := map[int]string{}
	for _, end := range im.ends {
		digests[end.line] = ""
	}
	h := sha256.New()
	for _, l := range im.lines {
		h.Write([]byte(l.prefix + l.text + "\n"))
		if _, ends := digests[l.number]; ends {
			digests[l.number] = string(h.Sum(nil))
		}
	}
	return digests
}

// ReadsServer reports whether the log of a program consists of the output of its server and that of
// its client, because each prints a part.
func ReadsServer(name string) bool { return name == "ucx_perftest" }

// formerID returns the ID that a run of a log with this SHA-256 had when a log was one run.
func formerID(sha256 string) string { return "log-" + sha256[:16] }

// Join returns the records of several launches as those of one: for a caller that made one launch
// of a script of programs. Results of one cell are combined, because a launch has one of each.
func Join(launches []Imported) (joined Imported) {
	for i, l := range launches {
		if i == 0 {
			joined.Run = l.Run
			joined.Run.Warnings = nil
		}
		for _, w := range l.Run.Warnings {
			warn(&joined.Run, w)
		}
		joined.Run.Job.Ranks = max(joined.Run.Job.Ranks, l.Run.Job.Ranks)
		for _, p := range l.Points {
			p.Run = joined.Run.ID
			joined.Points = append(joined.Points, p)
		}
	}
	joined.Points = combined(&joined.Run, joined.Points)
	return joined
}
