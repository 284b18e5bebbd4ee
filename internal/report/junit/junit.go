// Package junit writes results as JUnit XML, which continuous integration systems read.
package junit

import (
	"encoding/xml"
	"io"
)

// A Suite is a list of test cases with their numbers. Add keeps both in step.
type Suite struct {
	Name     string `xml:"name,attr"`
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Errors   int    `xml:"errors,attr"`
	Skipped  int    `xml:"skipped,attr"`
	Cases    []Case `xml:"testcase"`
	Output   string `xml:"system-out,omitempty"`
}

// A Case is a test that has passed, unless one of Failure, Error and Skipped is set.
type Case struct {
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	Time    string   `xml:"time,attr,omitempty"` // in seconds
	Failure *Message `xml:"failure,omitempty"`
	Error   *Message `xml:"error,omitempty"`
	Skipped *Message `xml:"skipped,omitempty"`
	Output  string   `xml:"system-out,omitempty"`
}

// A Message is the reason why a case has not passed.
type Message struct {
	Text string `xml:"message,attr"`
}

// Add adds a case and counts it.
func (s *Suite) Add(c Case) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
}

// Write writes a file with this suite alone. It returns errors of the writer.
func (s *Suite) Write(w io.Writer) error {
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(struct {
		XMLName xml.Name `xml:"testsuites"`
		Suite   *Suite   `xml:"testsuite"`
	}{Suite: s}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
