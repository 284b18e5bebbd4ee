package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gobench/bench/record"
	"gobench/bench/series"
	"gobench/bench/state"
	"gobench/internal/terminal"
)

// SeriesTable draws what the launches of one command measured: the facts of its runs, the rows
// that series.Rows made of their points, and what a reader must know. While launches go on it is
// an estimate: rows alone.
func SeriesTable(runs []record.Run, rows []record.Point, scale state.Scale, t terminal.Terminal, estimate bool) string {
	var b strings.Builder
	table := NewTable(&b, t)
	table.estimate = estimate
	table.notes.scale = scale
	if !estimate && len(runs) > 0 {
		table.Run(whole(runs))
	}
	for _, row := range inBlocks(rows) {
		table.Point(row)
	}
	table.End()
	return b.String()
}

// inBlocks puts rows with the same heading together, in the order of their first appearance.
func inBlocks(rows []record.Point) []record.Point {
	var order []string
	blocks := map[string][]record.Point{}
	for _, r := range rows {
		h := heading(r)
		if blocks[h] == nil {
			order = append(order, h)
		}
		blocks[h] = append(blocks[h], r)
	}
	sorted := make([]record.Point, 0, len(rows))
	for _, h := range order {
		sorted = append(sorted, blocks[h]...)
	}
	return sorted
}

// whole is the run of all launches of a series: the facts of the first, the worst noise of each
// core, and the warnings of any.
func whole(runs []record.Run) record.Run {
	r := runs[0]
	if r.Series != "" {
		r.ID = r.Series
	}
	r.Noise = slices.Clone(r.Noise)
	var points []*record.Point // carry the warnings
	for i := range runs {
		points = append(points, &record.Point{Warnings: runs[i].Warnings})
		for _, n := range runs[i].Noise {
			at := slices.IndexFunc(r.Noise, func(o record.Noise) bool { return o.Rank == n.Rank })
			if at >= 0 && n.Lost > r.Noise[at].Lost {
				r.Noise[at] = n
			}
		}
	}
	r.Warnings = series.Warnings(points)
	return r
}

// WriteCSV writes one line for each row.
func WriteCSV(w io.Writer, rows []record.Point) error {
	c, err := record.NewCSV(w, metricsOf(rows))
	if err != nil {
		return err
	}
	for i := range rows {
		if err := c.Write(&rows[i]); err != nil {
			return err
		}
	}
	return nil
}

// Series groups the points of files by the command that made them, in the order of their first
// appearance: launches of one command share a series, a run without one stands for itself.
func Series(file *record.File) []Command {
	runs := make(map[string]*record.Run, len(file.Runs))
	for i := range file.Runs {
		runs[file.Runs[i].ID] = &file.Runs[i]
	}
	at := map[string]int{}
	var list []Command
	for i := range file.Points {
		p := &file.Points[i]
		key := p.Run
		r := runs[p.Run]
		if r != nil && r.Series != "" {
			key = r.Series
		}
		n, ok := at[key]
		if !ok {
			n = len(list)
			at[key] = n
			list = append(list, Command{})
		}
		c := &list[n]
		c.Points = append(c.Points, *p)
		if r != nil && !slices.ContainsFunc(c.Runs, func(o record.Run) bool { return o.ID == r.ID }) {
			c.Runs = append(c.Runs, *r)
		}
	}
	return list
}

// Command is what one command measured.
type Command struct {
	Runs   []record.Run // of its launches
	Points []record.Point
}

// launchesText says how many launches a row rests on.
func launchesText(n int, round bool) string {
	word := "launch"
	if round {
		word = "round"
	}
	if n != 1 {
		word += map[string]string{"launch": "es", "round": "s"}[word]
	}
	return fmt.Sprintf("%d %s", n, word)
}
