// Coverage reads records of identical commands that were repeated many times, and prints how many
// of their 95 % intervals between launches contain the median of the other commands. It exits with
// 1 if fewer than 90 % do. See make check-coverage.
package main

import (
	"fmt"
	"math"
	"os"
	"slices"

	"gobench/internal/bench/state"
	"gobench/internal/human"
	"gobench/internal/record/series"
	"gobench/record"
	"gobench/report"
	"gobench/stats"
)

// wanted is the required share of all intervals.
const wanted = 0.90

// least is the number of commands that must have measured a cell.
const minRuns = 10

// A cell holds one row of each command.
type cell struct {
	name string
	said []record.Value
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: coverage FILE")
		os.Exit(2)
	}
	file, err := record.ReadFile(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	held, judged := table(cells(file))
	if judged == 0 || float64(held) < wanted*float64(judged) {
		os.Exit(1)
	}
}

// cells groups the rows of all commands in file by cell and state.
func cells(file *record.File) []*cell {
	var scales series.Scales
	scales.Observe(file.Runs, file.Points)
	at := map[string]*cell{}
	var list []*cell
	for _, command := range report.Series(file) {
		for _, row := range series.Rows(command.Runs, command.Points, &scales) {
			in := state.Parse(row.State)
			key := fmt.Sprint(row.CellKey(), row.Host, row.Map, in)
			c := at[key]
			if c == nil {
				c = &cell{name: name(&row, in)}
				at[key] = c
				list = append(list, c)
			}
			c.said = append(c.said, row.Metrics.Get(series.Main(row.Metrics)))
		}
	}
	return list
}

func name(p *record.Point, in state.State) string {
	what := human.Size(p.Size)
	if problem := p.Problem(); problem != "" {
		what = "class " + problem
	}
	return fmt.Sprintf("%-10s %-5s %-8s %-8v", p.Bench, p.Transport, what, in)
}

// table prints a line for each cell and the sum over all cells.
func table(list []*cell) (held, judged int) {
	fmt.Println("cell                               commands intervals   hold   median width   spread of medians")
	for _, c := range list {
		if len(c.said) < minRuns {
			continue
		}
		hold, of := 0, 0
		var widths, medians []float64
		for i, v := range c.said {
			medians = append(medians, v.Median)
			if v.Confidence == 0 {
				continue
			}
			of++
			others := middle(c.said, i)
			widths = append(widths, max(v.Hi-v.Median, v.Median-v.Lo)/v.Median)
			if v.Lo <= others && others <= v.Hi {
				hold++
			}
		}
		slices.Sort(medians)
		slices.Sort(widths)
		width := math.NaN()
		if len(widths) > 0 {
			width = widths[len(widths)/2]
		}
		fmt.Printf("%-34s %8d %9d %6.2f %12.1f %%   %.2f\n", c.name, len(c.said), of, float64(hold)/float64(max(1, of)), 100*width, medians[len(medians)-1]/medians[0])
		held += hold
		judged += of
	}
	fmt.Printf("all: %d of %d intervals hold the median of the other commands: %.1f %%, wanted %.0f %%\n", held, judged, 100*float64(held)/float64(max(1, judged)), 100*wanted)
	return held, judged
}

// middle returns the median of all values but one.
func middle(said []record.Value, but int) float64 {
	var x []float64
	for i, v := range said {
		if i != but {
			x = append(x, v.Median)
		}
	}
	return stats.Median(x)
}
