package comparison

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"

	"gobench/compare"
	"gobench/internal/report/export"
)

// suites is the element around the suite.
type suites struct {
	XMLName xml.Name       `xml:"testsuites"`
	Suites  []export.Suite `xml:"testsuite"`
}

// JUnit writes a test case for each cell, and one for the conclusion of a gate. With a gate a
// slower cell fails; without one no cell does, because no verdict is corrected for the number of
// cells. A cell in which the requested slowdown could not have been detected is skipped with the
// reason, and so are all cells that a gate cannot compare, and an inconclusive gate; a missing cell
// of the baseline is an error. The time of a case covers the measurements. It returns errors of
// the writer.
func JUnit(w io.Writer, r *compare.Result) error {
	s := export.Suite{Name: "gobench compare", Output: r.Method}
	for i := range r.Rows {
		row := &r.Rows[i]
		c := export.Case{Class: class(row.Cell), Name: name(r, row.Cell, row.Side), Time: seconds(row.Duration), Output: numbers(row)}
		switch {
		case row.Verdict == compare.Slower && r.Gate != nil:
			c.Failure = &export.Message{Text: "slower: " + numbers(row)}
		case r.Gate != nil && r.Gate.Void:
			c.Skipped = &export.Message{Text: fmt.Sprintf("%s: %s", r.Gate.Conclusion, r.Gate.Why)}
		case row.Verdict == compare.Unclear && row.Detectable > r.Options.Detect:
			c.Skipped = &export.Message{Text: verdict(row)}
		}
		s.Add(c)
	}
	for _, m := range r.Missing {
		c := export.Case{Class: class(m.Cell), Name: name(r, m.Cell, m.Side)}
		text := &export.Message{Text: fmt.Sprintf("%s has no such result, %s has", labels(r)[m.Side], labels(r)[m.In])}
		if m.In == r.Sides[0].Name {
			c.Error = text
		} else {
			c.Skipped = text
		}
		s.Add(c)
	}
	if g := r.Gate; g != nil {
		c := export.Case{Class: "gobench.compare", Name: "gate", Output: answer(r)}
		switch text := (&export.Message{Text: fmt.Sprintf("%s: %s", g.Conclusion, g.Why)}); g.Conclusion {
		case compare.Failed:
			c.Failure = text
		case compare.Noisy:
			c.Skipped = text
		}
		s.Add(c)
	}
	return export.WriteXML(w, suites{Suites: []export.Suite{s}})
}

// class returns a dotted class name, by which readers of JUnit group the cells of a benchmark.
func class(c compare.Cell) string {
	s := "gobench." + c.Factor("bench")
	if t := c.Factor("transport"); t != "" {
		s += "." + t
	}
	return s
}

// name returns the name of a case, which is equal for every comparison of the cell: files are named
// without their directories, and only if there are several.
func name(r *compare.Result, c compare.Cell, of string) string {
	if len(r.Sides) == 2 {
		return c.String()
	}
	return fmt.Sprintf("%s (%s)", c, labels(r)[of])
}

func seconds(s float64) string {
	if s == 0 {
		return ""
	}
	return strconv.FormatFloat(s, 'f', 3, 64)
}

// numbers returns the result of a row in one line.
func numbers(r *compare.Row) string {
	unit, by := scale(r.Metric)
	return fmt.Sprintf("%s %s %s, was %s: ratio %s (%s), p %s, %s launches, differences count beyond %.1f %%",
		r.Metric.Name, value(r.B.Median, by), unit, value(r.A.Median, by), ratio(r.Ratio.Median), interval(r), probability(r), samples(r), 100*r.Threshold)
}
