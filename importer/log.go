package importer

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/terminal"
	"gobench/record"
)

// A log is the output of one program, and the state of its reader.
type log struct {
	*importing
	form     *format
	family   string // of the measured libraries: that of form, if the log states no other
	measured string // library that the program names itself, "" = none
	version  string // of the program, "" if unknown
	own      string // stream of the lines
	lines    []string
	numbers  []int                      // of the lines in the log, from 1
	indents  []int                      // spaces before the lines
	at       int                        // current line, index of lines
	doc      map[string]json.RawMessage // of a program that prints a JSON object
	facts    facts

	points []record.Point
	rows   []int // for each point, the number of its line
	tables []int // for each point, the number of its table
	table  int   // current table; readers of formats with several tables count it

	warnings []string
	left     []leftOut
	refused  error // by scan, with Given.Strict
}

// leftOut is a reason why lines are left out.
type leftOut struct {
	reason string
	lines  []int
}

func newLog(im *importing, p *program) *log {
	l := &log{importing: im, form: p.form, family: p.form.family, doc: p.doc}
	for _, own := range p.lines {
		l.lines = append(l.lines, own.text)
		l.numbers = append(l.numbers, own.number)
		l.indents = append(l.indents, own.indent)
	}
	if len(p.lines) > 0 {
		l.own = p.lines[0].stream
	}
	if p.form.version.Regexp != nil {
		for _, text := range l.lines {
			if m := p.form.version.FindStringSubmatch(text); m != nil {
				l.version = m[1]
				break
			}
		}
	}
	return l
}

// maxWarnings bounds the warnings of one run.
const maxWarnings = 100

func warn(run *record.Run, text string) {
	if len(run.Warnings) < maxWarnings && !slices.Contains(run.Warnings, text) {
		run.Warnings = append(run.Warnings, text)
	}
}

func (l *log) warn(format string, args ...any) {
	text := terminal.Plain(fmt.Sprintf(format, args...))
	if len(l.warnings) < maxWarnings && !slices.Contains(l.warnings, text) {
		l.warnings = append(l.warnings, text)
	}
}

// leaveOut records that the current line, a table or a program is left out, and why: as a warning
// that names the line, or with Given.Strict as an error.
func (l *log) leaveOut(format string, args ...any) error {
	reason := terminal.Plain(fmt.Sprintf(format, args...))
	if l.given.Strict {
		return &record.FileError{Path: l.name, Line: l.number(), Err: errors.New(reason)}
	}
	return l.skip(reason)
}

// each calls read with each line as the current one, until it returns an error.
func (l *log) each(read func(line string) error) (err error) {
	for l.at = 0; l.at < len(l.lines) && err == nil; l.at++ {
		if err = read(l.lines[l.at]); err == nil {
			err = l.refused
		}
	}
	return err
}

// unknown leaves out the current line, which is of a test that is not known. A caller that ran the
// program did not ask for that test alone, and has the others.
func (l *log) unknown(test string) error {
	const why = "%s is not known here"
	if l.given.Ran {
		return l.skip(terminal.Plain(fmt.Sprintf(why, test)))
	}
	return l.leaveOut(why, test)
}

// number returns the number of the current line, from 1.
func (l *log) number() int { return l.numbers[min(l.at, len(l.numbers)-1)] }

// omit adds a line to those that are left out for a reason.
func (l *log) omit(reason string, number int) {
	i := slices.IndexFunc(l.left, func(o leftOut) bool { return o.reason == reason })
	switch {
	case i >= 0 && l.left[i].lines[len(l.left[i].lines)-1] != number:
		l.left[i].lines = append(l.left[i].lines, number)
	case i < 0 && len(l.left) < maxWarnings:
		l.left = append(l.left, leftOut{reason, []int{number}})
	}
}

// skip leaves out the current line for a reason that is no error with Given.Strict either.
func (l *log) skip(reason string) error {
	l.omit(reason, l.number())
	return nil
}

// String returns a warning: "lines 7 and 8 are left out: the row has 1 column, its heading 2".
func (o leftOut) String() string {
	const limit = 5
	words := collect.Each(o.lines[:min(len(o.lines), limit)], strconv.Itoa)
	switch more := len(o.lines) - limit; {
	case more > 0:
		return fmt.Sprintf("lines %s and %d more are left out: %s", strings.Join(words, ", "), more, o.reason)
	case len(words) > 1:
		return fmt.Sprintf("lines %s are left out: %s", human.Enumerate(words, "and"), o.reason)
	}
	return fmt.Sprintf("line %s is left out: %s", words[0], o.reason)
}

// writer returns the name of the program with its version, for messages.
func (l *log) writer() string { return strings.TrimSpace(l.form.name + " " + l.version) }

// point returns a new point of this log. ranks is 0 where the log does not state them; then those
// of Given are taken, and the point is not valid if there are none. transport is "unknown" where
// the log does not state it; then that of Given is taken. Library and time follow when the program
// has been read.
func (l *log) point(bench, transport, level string, ranks int) record.Point {
	if given := l.given.Transport; given != "" && (transport == "unknown" || l.given.Ran) {
		transport = given
	} else if given != "" && given != transport {
		l.warn("the log names the transport %s, which is used instead of %s", transport, given)
	}
	return record.Point{
		Bench: bench, Transport: transport, Level: level,
		Ranks: cmp.Or(ranks, l.given.Ranks), RankKind: "process", Metrics: record.Values{},
	}
}

// named returns the benchmark that the log names, else the one of Given.
func (l *log) named(bench string) string {
	if given := l.given.Bench; bench != "" && given != "" && given != bench {
		l.warn("the log names the benchmark %s, which is used instead of %s", bench, given)
	}
	return cmp.Or(bench, l.given.Bench)
}

// library returns the name of the measured library. A given name that contains what the log says is
// a closer name.
func (l *log) library() string {
	found := cmp.Or(l.facts.library[l.family], l.facts.stated[l.family], l.measured)
	switch name := l.given.Library; {
	case name == "":
		return cmp.Or(found, l.form.name)
	case l.given.Ran || found == "" || strings.Contains(strings.ToLower(name), strings.ToLower(found)):
		return name
	}
	l.warn("the log names the library %s, which is used instead of %s", found, l.given.Library)
	return found
}

// add validates and adds a point of the current line. A point that is not valid is left out.
func (l *log) add(p record.Point) error {
	checked := p
	checked.Run, checked.Library = "log", cmp.Or(p.Library, "log")
	if err := checked.Validate(); err != nil {
		var invalid *record.InvalidError
		if errors.As(err, &invalid) {
			return l.leaveOut("%s: %s", invalid.Field, invalid.Rule)
		}
		return l.leaveOut("%v", err)
	}
	l.points = append(l.points, p)
	l.rows = append(l.rows, l.number())
	l.tables = append(l.tables, l.table)
	return nil
}

// lastRow returns the number of the last line that holds a row, 0 if there is none.
func (l *log) lastRow() int {
	if len(l.rows) == 0 {
		return 0
	}
	return slices.Max(l.rows)
}

// empty returns the warning of a program without results.
func (l *log) empty() string {
	return terminal.Plain(fmt.Sprintf("line %d: %q has no results", l.numbers[0], l.lines[0]))
}

// finish adds the launches of the program to those of the log.
func (l *log) finish() {
	if len(l.points) == 0 {
		for _, left := range l.left {
			l.warnings = append(l.warnings, left.String())
		}
		if len(l.warnings) == 0 && len(l.numbers) > 0 {
			l.warnings = append(l.warnings, l.empty())
		}
		l.importing.warnings = append(l.importing.warnings, l.warnings...)
		return
	}
	l.library() // which may warn
	last := 0
	for _, launch := range l.launches() {
		run := l.newRun(launch)
		for _, w := range l.importing.warnings {
			warn(&run, w)
		}
		l.importing.warnings = nil
		points := make([]record.Point, len(launch))
		for i, k := range launch {
			points[i], last = l.points[k], max(last, l.rows[k])
			points[i].Run, points[i].Library = run.ID, cmp.Or(points[i].Library, l.library())
			if points[i].Time.IsZero() {
				points[i].Time = l.when()
			}
		}
		points = combined(&run, points)
		if l.doc != nil {
			last = l.numbers[len(l.numbers)-1] // all lines of an object are one row
		}
		launch := Imported{Run: run, Points: points}
		if k := len(l.importing.launches) - 1; k >= 0 && l.twins(&l.importing.launches[k], &launch) {
			l.stream = "" // a third is of another test
			before := &l.importing.launches[k]
			if before.Points[0].Window < points[0].Window { // the server was first
				*before = launch
				l.ends[k] = end{last, l.form.name}
			}
			warn(&before.Run, "another launch is left out: it is the other side of the same test")
			continue
		}
		l.stream = l.own
		l.importing.launches = append(l.importing.launches, launch)
		l.ends = append(l.ends, end{last, l.form.name})
	}
}

// launches divides the points of a program, by index: a cell that occurs in a later table again
// belongs to another launch. In the table of one launch the first row of a cell counts; those of
// jsonl are combined.
func (l *log) launches() [][]int {
	launches := [][]int{nil}
	tables := map[string]int{} // by cell, of the current launch
	for i := range l.points {
		key := l.points[i].CellKey()
		table, again := tables[key]
		switch {
		case again && table != l.tables[i]:
			launches = append(launches, nil)
			clear(tables)
		case again && l.form.name != jsonlFormat.name: // of which rows are combined
			l.omit("the row repeats one of the same table, which counts", l.rows[i])
			continue
		}
		tables[key] = l.tables[i]
		last := len(launches) - 1
		launches[last] = append(launches[last], i)
	}
	return launches
}

// newRun returns the run of a launch.
func (l *log) newRun(points []int) record.Run {
	version := map[string]any{"name": l.form.name, "version": l.writer()}
	launcher := "mpi"
	if l.form.family != "mpi" && l.form.family != "nccl" {
		launcher = "none"
	}
	limit := 1
	for _, i := range points {
		limit = max(limit, l.points[i].Ranks)
	}
	run := record.Run{
		ID: "log", Time: l.when(), Command: []string{"gobench", "import", l.name}, Program: version,
		Source: &record.Source{Name: l.name, SHA256: hex.EncodeToString(l.digest[:])},
		Job:    record.Job{Launcher: launcher, Ranks: limit},
	}
	for _, name := range l.facts.hosts {
		run.Hosts = append(run.Hosts, map[string]any{"hostname": name})
	}
	warn(&run, "imported from a log of "+l.form.name)
	for _, w := range l.warnings {
		warn(&run, w)
	}
	for _, left := range l.left {
		warn(&run, left.String())
	}
	return run
}

// mean returns a value that is a mean.
func mean(x float64) record.Value { return record.Value{Median: x, N: 1, Statistic: record.Mean} }

// rate adds the bandwidth to a time, if both exist.
func rate(p *record.Point, key string, amount int64) {
	if t := p.Metrics.Get(key); t.Median > 0 && amount > 0 {
		p.Amount = amount
		t.Median = float64(amount) / t.Median
		p.Metrics.Set("bandwidth_Bps", t)
	}
}

// batch records that events were timed together.
func batch(p *record.Point, events int64) {
	p.Iterations = events
	if events > 1 {
		p.Batched = int(events)
	}
}
