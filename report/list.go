package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"gobench/record"
)

// A Selection selects points of files.
type Selection struct {
	// Judge is called with the rows of all commands after they were printed; nil = none.
	Judge func(rows []record.Point) error

	record.Selection
	Last int // commands, 0 = all
}

// apply removes the points that are not selected; it keeps all runs. It returns a
// *record.SelectionError if no point of a non-empty file is left.
func (s *Selection) apply(file *record.File) error {
	if err := s.Apply(file); err != nil || s.Last == 0 {
		return err
	}
	commands := Series(file)
	file.Points = nil
	for _, c := range commands[max(0, len(commands)-s.Last):] {
		file.Points = append(file.Points, c.Points...)
	}
	return nil
}

// List is the Form of one line for each command: its series, as --command takes it, when it began,
// its launches and results, its label, and the command.
const List Form = "list"

// listCommands prints a line for each command.
func listCommands(w io.Writer, commands []Command) error {
	rows := [][]string{{"#series", "begun", "launches", "results", "label", "command"}}
	for i := range commands {
		c := &commands[i]
		row := []string{absent, absent, fmt.Sprint(len(c.Runs)), fmt.Sprint(len(c.Points)), absent, absent}
		if len(c.Runs) > 0 {
			r := &c.Runs[0]
			row[0], row[1] = cmp.Or(r.Series, r.ID), r.Time.UTC().Format("2006-01-02T15:04Z")
			row[4], row[5] = cmp.Or(strings.ReplaceAll(r.Label, " ", "_"), absent), strings.Join(r.Command, " ")
			if c.sweep != nil {
				row[0], row[5] = cmp.Or(c.sweep.Plan, c.first.ID), r.Series+": "+row[5] // see Command.name
			}
		} else if len(c.Points) > 0 {
			row[0] = c.Points[0].Run
		}
		rows = append(rows, row)
	}
	var widths [5]int
	for _, row := range rows {
		for i := range widths {
			widths[i] = max(widths[i], len(row[i]))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		for i, width := range widths {
			fmt.Fprintf(&b, "%-*s  ", width, row[i])
		}
		b.WriteString(row[5] + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
