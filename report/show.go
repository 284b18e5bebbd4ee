package report

import (
	"fmt"
	"io"
	"slices"

	"gobench/bench/record"
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

// print prints every point below its run.
func print(w io.Writer, t terminal.Terminal, f Form, file *record.File) error {
	p, err := NewPrinter(w, t, f, metricsOf(file.Points))
	if err != nil {
		return err
	}
	run := ""
	for i := range file.Points {
		point := &file.Points[i]
		if point.Run != run {
			run = point.Run
			if r := file.Run(point); r != nil {
				if err := p.Run(*r); err != nil {
					return err
				}
			}
		}
		if err := p.Point(*point); err != nil {
			return err
		}
	}
	return p.End()
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
