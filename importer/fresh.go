package importer

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"gobench/internal/human"
	"gobench/record"
)

// A Repeat is a log with launches that a file of records contains already.
type Repeat struct {
	Name         string // of the log
	Launches, Of int    // of its launches, in the file
	Before       string // name of the log from which the file has the last of them
}

// Fresh returns the launches of logs that are not in held yet, and the logs with others: to import
// a log again is not to measure another launch. Logs of several paths are several launches,
// whatever they print: short ones often print the same. Copies is the number of those, whose IDs
// follow from their order. A record of gobench in several logs is one launch. The launches of one
// program with one library are a series, which has the ID that the first log gives it.
func Fresh(logs []Log, held *record.File) (fresh []Imported, repeats []Repeat, copies int) {
	known := map[string]string{} // names of logs by the ID of the run
	for _, r := range held.Runs {
		if known[r.ID] = "records"; r.Source != nil {
			known[r.ID] = r.Source.Name
		}
	}
	seen := map[string][]string{} // names of these logs, by the ID that the text has
	series := map[string]string{} // by program and library
	for _, l := range logs {
		repeated := Repeat{Name: l.Name, Of: len(l.Launches)}
		for _, launch := range l.Launches {
			name, again := known[launch.Run.ID]
			if derived(launch.Run.ID) {
				text := launch.Run.ID
				if path := filepath.Clean(l.Name); !slices.Contains(seen[text], path) {
					launch.Run.ID = copyID(text, len(seen[text]))
					name, again = known[launch.Run.ID]
					seen[text] = append(seen[text], path)
				}
				program := programOf(&launch)
				series[program] = cmp.Or(series[program], launch.Run.Series)
				launch.Run.Series = series[program]
				if launch.Run.ID != text && !again {
					copies++
				}
			}
			if !again && launch.Run.Source != nil {
				name, again = known[formerID(launch.Run.Source.SHA256)]
			}
			if again {
				repeated.Launches, repeated.Before = repeated.Launches+1, name
				continue
			}
			known[launch.Run.ID] = l.Name
			for i := range launch.Points {
				launch.Points[i].Run = launch.Run.ID
			}
			fresh = append(fresh, launch)
		}
		if repeated.Launches > 0 {
			repeats = append(repeats, repeated)
		}
	}
	return fresh, repeats, copies
}

// Append appends the launches of logs to a file of records, except those that it contains already.
// It returns what it appended, a sentence for each log of which the file has launches, and warnings
// about the file.
func Append(file string, logs []Log) (fresh []Imported, repeats, warnings []string, err error) {
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
	fresh, again, copies := Fresh(logs, held)
	for _, r := range again {
		if r.Launches == r.Of {
			repeats = append(repeats, fmt.Sprintf("%s is in %s already, imported from %s: nothing is added", r.Name, file, r.Before))
		} else {
			repeats = append(repeats, fmt.Sprintf("%d of %d launches of %s are in %s already, imported from %s: they are not added", r.Launches, r.Of, r.Name, file, r.Before))
		}
	}
	if copies > 0 {
		repeats = append(repeats, fmt.Sprintf("%s the same as another log of this command: each counts", human.Count(copies, "launch prints", "launches print")))
	}
	for i := range fresh {
		err = errors.Join(err, out.WriteAll(&fresh[i].Run, fresh[i].Points))
	}
	return fresh, repeats, out.Warnings(), err
}

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
