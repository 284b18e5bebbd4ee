package export

import (
	"encoding/xml"
	"io"
)

// A Suite is the element testsuite of JUnit XML, as systems of continuous integration read it.
type Suite struct {
	XMLName  xml.Name `xml:"testsuite"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Errors   int      `xml:"errors,attr"`
	Skipped  int      `xml:"skipped,attr"`
	Cases    []Case   `xml:"testcase"`
	Output   string   `xml:"system-out,omitempty"`
}

// A Case is a test case. One without failure, error and skipped has passed.
type Case struct {
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	Time    string   `xml:"time,attr,omitempty"` // seconds
	Failure *Message `xml:"failure,omitempty"`
	Error   *Message `xml:"error,omitempty"`
	Skipped *Message `xml:"skipped,omitempty"`
	Output  string   `xml:"system-out,omitempty"`
}

// A Message says why a case has not passed.
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

// WriteXML writes an element as a file of XML.
func WriteXML(w io.Writer, element any) error {
	text, err := xml.MarshalIndent(element, "", "  ")
	if err == nil {
		_, err = io.WriteString(w, xml.Header+string(text)+"\n")
	}
	return err
}
