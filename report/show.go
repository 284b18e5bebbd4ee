package report

import (
	"fmt"
	"io"
	"slices"

	"gobench/bench/record"
	"gobench/bench/series"
	"gobench/bench/state"
	"gobench/internal/terminal"
)

// Show prints the records of files, and of all files *.jsonl in folders, in their order: the tables of the runs
// again, or all rows as JSON Lines or CSV. Warnings about the files go to
// warnings, one to a line. Where a file cannot be read to its end, what stands
// before is printed and the error returned.
func Show(w, warnings io.Writer, t terminal.Terminal, f Form, files []string) error {
	var all record.File
	var unreadable error
	for _, path := range files {
		file, err := record.Load(path)
		all.Runs = append(all.Runs, file.Runs...)
		all.Points = append(all.Points, file.Points...)
		all.Launches = append(all.Launches, file.Launches...)
		all.Warnings = append(all.Warnings, file.Warnings...)
		if err != nil {
			unreadable = err
			break
		}
	}
	for _, warning := range all.Warnings {
		fmt.Fprintf(warnings, "gobench: %s\n", warning)
	}
	if err := print(w, t, f, &all); err != nil {
		return err
	}
	if unreadable == nil && len(all.Points) == 0 {
		fmt.Fprintln(warnings, "gobench: there are no results in these files")
	}
	return unreadable
}

// print prints what every command measured: rows with the interval between its launches as a table
// or CSV, all records as JSON Lines.
func print(w io.Writer, t terminal.Terminal, f Form, file *record.File) error {
	if f == JSON {
		return printRecords(w, file)
	}
	var scale state.Scale
	for i := range file.Points {
		scale.NotePoint(&file.Points[i])
	}
	var all []record.Point
	for _, c := range Series(file) {
		if f == CSV {
			all = append(all, series.Rows(c.Points, &scale)...)
			continue
		}
		if _, err := io.WriteString(w, SeriesTable(c.Runs, c.Points, scale, t, false)); err != nil {
			return err
		}
	}
	if f == CSV {
		return WriteCSV(w, all)
	}
	return nil
}

// printRecords prints every point below its run.
func printRecords(w io.Writer, file *record.File) error {
	out := record.NewWriter(w)
	written := map[string]bool{}
	for i := range file.Points {
		p := &file.Points[i]
		if r := file.Run(p); r != nil && !written[p.Run] {
			written[p.Run] = true
			if err := out.WriteRun(r); err != nil {
				return err
			}
		}
		if err := out.WritePoint(p); err != nil {
			return err
		}
	}
	return nil
}

func metricsOf(points []record.Point) []string {
	var keys []string
	for _, p := range points {
		for key := range p.Metrics {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
