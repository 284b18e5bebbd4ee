package report

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gobench/internal/record/series"
	"gobench/record"
)

// Show prints the selected records of files, and of all files *.jsonl in directories: as a table
// for each command, or all rows in another format, and into exports. Warnings about the files go to
// o.Remarks, one per line. If a file cannot be read to its end, the readable part is printed and
// the error returned. Files without results are an error, too. The error is a
// *record.SelectionError if no point is selected or an export would replace records.
func Show(o Output, files []string, s Selection, exports []Export) error {
	for _, e := range exports {
		if err := cmp.Or(e.Check(files...), e.CheckFile()); err != nil {
			return &record.SelectionError{Err: err}
		}
	}
	var all record.File
	var seen record.Repeats
	var unreadable error
	for _, path := range files {
		file, err := record.LoadSelfTests(path, &seen) // which are groups of their own
		if all.Append(file); err != nil {
			unreadable = err
			break
		}
	}
	say := func(sentences []string) {
		for _, s := range sentences {
			fmt.Fprintf(o.Remarks, "gobench: %s\n", s)
		}
	}
	say(all.Warnings)
	failed := all.Failed()
	var scales series.Scales
	scales.Observe(all.Runs, all.Points)
	empty := len(all.Points) == 0
	if err := s.apply(&all); err != nil {
		return cmp.Or(unreadable, err)
	}
	commands := Series(&all)
	o.View.Records = cmp.Or(o.View.Records, Pointer(files))
	if err := o.write(commands, &scales); err != nil {
		return err
	}
	say(failed) // last, where a terminal shows it
	for _, e := range exports {
		warnings, err := e.write(commands, &scales)
		if say(warnings); err != nil {
			return err
		}
	}
	switch {
	case unreadable != nil:
		return unreadable
	case empty:
		return errors.New("there are no results in these files")
	case s.Judge == nil:
		return nil
	}
	var rows []record.Point
	for _, c := range commands {
		rows = append(rows, series.Rows(c.Runs, c.Points, &scales)...)
	}
	return s.Judge(rows)
}

// maxFiles bounds the characters of the names of several files in the pointers of first screens.
const maxFiles = 36

// Pointer returns files as View.Records names them, "" if their names are too long.
func Pointer(files []string) string {
	names := strings.Join(files, " ")
	if len(files) > 1 && len(names) > maxFiles {
		return ""
	}
	return names
}

func metricsOf(points []record.Point) []string {
	seen := map[string]bool{}
	for i := range points {
		for key := range points[i].Metrics.Keys() {
			seen[key] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}
