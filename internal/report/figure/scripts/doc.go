// Package scripts writes programs that draw the marks of a figure from the CSV beside it: pgfplots,
// gnuplot, matplotlib, R and Vega-Lite. They are short, so that an author can change them.
package scripts

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gobench/internal/collect"
	"gobench/internal/report/figure"
)

// A Writer returns a program that draws a chart from the CSV file with the given name.
type Writer func(c *figure.Chart, csv string) string

// Writers has the writer of each extension of a file name.
var Writers = map[string]Writer{".tex": TeX, ".gp": Gnuplot, ".py": Python, ".R": R, ".vl.json": VegaLite}

// Extensions returns the extensions of Writers, sorted.
func Extensions() []string { return []string{".tex", ".gp", ".py", ".R", ".vl.json"} }

// lines collects lines of text.
type lines struct{ strings.Builder }

func (l *lines) add(format string, args ...any) { fmt.Fprintf(l, format+"\n", args...) }

// entries returns the series of the legend: the first of each name.
func entries(c *figure.Chart) []figure.ChartSeries {
	all := slices.Concat(collect.Each(c.Panels, func(p figure.ChartPanel) []figure.ChartSeries { return p.Series })...)
	named := collect.If(all, func(s figure.ChartSeries) bool { return s.Name != "" })
	return collect.First(named, func(s figure.ChartSeries) string { return s.Name })
}

// number formats a number for all languages.
func number(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// rows returns the number of rows of panels.
func rows(c *figure.Chart) int { return (len(c.Panels) + c.Columns - 1) / c.Columns }

// level reports whether the values of a panel are drawn along the x axis, in rows of names.
func level(p figure.ChartPanel) bool { return p.Y.Names }

// matrix reports whether a panel has fields.
func matrix(p figure.ChartPanel) bool {
	return len(p.Series) > 0 && p.Series[0].Form == figure.Cells
}
