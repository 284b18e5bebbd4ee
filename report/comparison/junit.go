package comparison

import (
	"encoding/xml"
	"fmt"
	"io"

	"gobench/bench/compare"
)

// Elements of JUnit XML as read by continuous integration systems.
type (
	suites struct {
		XMLName xml.Name `xml:"testsuites"`
		Suites  []suite  `xml:"testsuite"`
	}
	suite struct {
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Skipped  int        `xml:"skipped,attr"`
		Cases    []testCase `xml:"testcase"`
		Output   string     `xml:"system-out,omitempty"`
	}
	testCase struct {
		Class   string   `xml:"classname,attr"`
		Name    string   `xml:"name,attr"`
		Failure *message `xml:"failure,omitempty"`
		Error   *message `xml:"error,omitempty"`
		Skipped *message `xml:"skipped,omitempty"`
		Output  string   `xml:"system-out,omitempty"`
	}
	message struct {
		Text string `xml:"message,attr"`
	}
)

// JUnit writes a test case for each cell. A slower cell fails, a cell in which the requested
// slowdown could not have been detected is skipped, a missing cell of the baseline is an error. It
// returns errors of the writer.
func JUnit(w io.Writer, r *compare.Result) error {
	s := suite{Name: "gobench compare", Tests: len(r.Rows) + len(r.Missing), Output: r.Method}
	for i := range r.Rows {
		row := &r.Rows[i]
		c := testCase{Class: class(row.Cell), Name: name(row.Cell, row.Side), Output: numbers(row)}
		switch {
		case row.Verdict == compare.Slower:
			s.Failures++
			c.Failure = &message{"slower: " + numbers(row)}
		case row.Verdict == compare.Unclear && row.Detectable > r.Options.Detect:
			s.Skipped++
			c.Skipped = &message{verdict(row)}
		}
		s.Cases = append(s.Cases, c)
	}
	for _, m := range r.Missing {
		c := testCase{Class: class(m.Cell), Name: name(m.Cell, m.Side)}
		text := &message{fmt.Sprintf("%s has no such result, %s has", side(m.Side), side(m.In))}
		if m.In == r.Sides[0].Name {
			s.Errors++
			c.Error = text
		} else {
			s.Skipped++
			c.Skipped = text
		}
		s.Cases = append(s.Cases, c)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	out := xml.NewEncoder(w)
	out.Indent("", "  ")
	if err := out.Encode(suites{Suites: []suite{s}}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// class returns a dotted class name, by which readers of JUnit group the cells of a benchmark.
func class(c compare.Cell) string {
	s := "gobench." + c.Factor("bench")
	if t := c.Factor("transport"); t != "" {
		s += "." + t
	}
	return s
}

func name(c compare.Cell, of string) string {
	return fmt.Sprintf("%s (%s)", c, side(of))
}

// numbers returns the result of a row in one line.
func numbers(r *compare.Row) string {
	unit, by := scale(r.Metric)
	return fmt.Sprintf("%s %s %s, was %s: ratio %s (%s), p %s, %s launches, differences count beyond %.1f %%",
		r.Metric.Name, value(r.B.Median, by), unit, value(r.A.Median, by), ratio(r.Ratio.Median), interval(r), probability(r), samples(r), 100*r.Threshold)
}
