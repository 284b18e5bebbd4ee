package importer

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/remedy"
	"gobench/record"
)

// A Repeat is a log with launches that a file of records contains already.
type Repeat struct {
	Name         string // of the log
	Launches, Of int    // of its launches, in the file
	Before       string // name of the log from which the file has the last of them
}

// Fresh returns the launches of logs that are not in held yet, and the logs with others: to import
// a log again is not to measure another launch. A log of which another file has the text, as a copy
// of it and the log before it grew have, is the same, unless logs are distinct: short ones often
// print the same. Copies is the number of those that are left out. IDs of distinct ones follow from
// their order. A record of gobench in several logs is one launch; its points that were missing are
// fresh. The launches of one program with one library are a series, which has the ID that the first
// log gives it.
func Fresh(logs []Log, held *record.File, distinct bool) (fresh []Imported, repeats []Repeat, copies int) {
	known := map[string]string{} // names of logs by the ID of the run
	for _, r := range held.Runs {
		if known[r.ID] = "records"; r.Source != nil {
			known[r.ID] = r.Source.Name
		}
	}
	had := map[string]int{} // points of runs
	for i := range held.Points {
		had[held.Points[i].Run]++
	}
	series := map[string]string{} // by program and library
	for _, l := range logs {
		repeated := Repeat{Name: l.Name, Of: len(l.Launches)}
		copied := false
		for _, launch := range l.Launches {
			text := launch.Run.ID
			name, again := known[text]
			if !again && launch.Run.Source != nil {
				name, again = known[formerID(launch.Run.Source.SHA256)]
			}
			if derived(text) {
				program := programOf(&launch)
				series[program] = cmp.Or(series[program], launch.Run.Series)
				launch.Run.Series = series[program]
				for n := 1; again && distinct && !sameFile(name, l.Name); n++ {
					launch.Run.ID = copyID(text, n)
					name, again = known[launch.Run.ID]
				}
				copied = copied || again && !sameFile(name, l.Name)
			} else if n := had[text]; again && launch.Run.Source == nil && n < len(launch.Points) {
				// The log that has the others was cut.
				launch.Points, again = launch.Points[n:], false
			}
			if again {
				repeated.Launches, repeated.Before = repeated.Launches+1, name
				continue
			}
			known[launch.Run.ID] = l.Name
			had[launch.Run.ID] += len(launch.Points)
			for i := range launch.Points {
				launch.Points[i].Run = launch.Run.ID
			}
			fresh = append(fresh, launch)
		}
		if repeated.Launches > 0 {
			repeats = append(repeats, repeated)
		}
		if copied {
			copies++
		}
	}
	return fresh, repeats, copies
}

// sameFile reports whether two names of logs are of one file. What programs print into two pipes is
// not the same.
func sameFile(a, b string) bool {
	if a == stdinName || b == stdinName {
		return false
	}
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(infoA, infoB)
	}
	return filepath.Clean(a) == filepath.Clean(b)
}

// Append appends the launches of logs to a file of records, except those that it contains already
// (see Fresh), and what the logs of pods state about launches. It returns what it appended,
// sentences about logs of which the file has launches, and warnings about the file and the logs of
// pods.
func Append(file string, logs []Log, distinct bool) (added *record.File, repeats, warnings []string, err error) {
	out, err := record.Open(file)
	if err != nil {
		return nil, nil, nil, err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	held := &record.File{}
	if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() { // not a pipe
		if held, err = record.ReadFile(file); err != nil {
			return nil, nil, out.Warnings(), err
		}
	}
	fresh, again, copies := Fresh(logs, held, distinct)
	added = restOf(logs, held)
	nothing := "nothing is added"
	if n := len(added.Plans) + len(added.Failures) + len(added.Launches); n > 0 {
		nothing = "only " + human.Count(n, "row about launches", "rows about launches") + " of the logs are added"
	}
	for _, r := range again {
		if r.Launches == r.Of {
			repeats = append(repeats, fmt.Sprintf("%s is in %s already, imported from %s: %s", r.Name, file, r.Before, nothing))
		} else {
			repeats = append(repeats, fmt.Sprintf("%d of %d launches of %s are in %s already, imported from %s: they are not added", r.Launches, r.Of, r.Name, file, r.Before))
		}
	}
	if copies > 0 {
		repeats = append(repeats, fmt.Sprintf("%s the same text as another, which counts once: if they are of different runs, add %v", human.Count(copies, "log has", "logs have"), remedy.Named("distinct")))
	}
	for i := range added.Plans {
		err = errors.Join(err, out.WritePlan(&added.Plans[i]))
	}
	for _, l := range fresh {
		err = errors.Join(err, out.WriteAll(&l.Run, l.Points))
		added.Append(&record.File{Runs: []record.Run{l.Run}, Points: l.Points})
	}
	for i := range added.Failures {
		err = errors.Join(err, out.WriteFailure(&added.Failures[i]))
	}
	for i := range added.Launches { // which complete the points before them
		err = errors.Join(err, out.WriteLaunch(&added.Launches[i]))
	}
	warnings, added.Warnings = append(out.Warnings(), added.Warnings...), nil
	return added, repeats, warnings, err
}

// restOf returns the rows of logs that are neither runs nor points and that held lacks. A log that
// has grown may complete launches that are held.
func restOf(logs []Log, held *record.File) *record.File {
	rest := &record.File{}
	for _, log := range logs {
		for _, launch := range log.Launches {
			rest.Append(&launch.Rest)
		}
	}
	rest.Plans = slices.DeleteFunc(collect.First(rest.Plans, planOf), func(p record.Plan) bool {
		return slices.ContainsFunc(held.Plans, func(h record.Plan) bool { return h.ID == p.ID })
	})
	var seen record.Repeats
	seen.Drop(&record.File{Launches: slices.Clone(held.Launches), Failures: slices.Clone(held.Failures)}, "")
	seen.Drop(rest, "")
	return rest
}

func planOf(p record.Plan) string { return p.ID }

// rankNumber matches what differs between the streams of two ranks.
var rankNumber = match(`\d+`)

// twins reports whether two launches are what both sides of one test printed: the server and the
// client of a stream of perftest, of which the server prints the values of the client and no
// window, or two ranks of fi_pingpong, each with its own times.
func (l *log) twins(a, b *Imported) bool {
	var same func(p, q record.Point) bool
	switch {
	case fmt.Sprint(a.Run.Program) != fmt.Sprint(b.Run.Program):
		return false
	case l.form.name == perftestFormat.name:
		same = func(p, q record.Point) bool {
			server := (p.Window == 0) != (q.Window == 0) && streams(p.Bench)
			p.Window, q.Window = 0, 0
			return server && p.CellKey() == q.CellKey() && p.Metrics.Equal(q.Metrics)
		}
	case l.form.name == fabricFormat.name && l.stream != "" && l.own != l.stream &&
		rankNumber.ReplaceAllString(l.own, "0") == rankNumber.ReplaceAllString(l.stream, "0"):
		same = func(p, q record.Point) bool { return p.Size == q.Size && p.Iterations == q.Iterations }
	default:
		return false
	}
	return slices.EqualFunc(a.Points, b.Points, same)
}
