package record

import (
	"strings"
	"time"
)

// KindPlan is the kind of a row that holds the plan of a sweep. It precedes the launches of the
// sweep, so that a report can state how to repeat them.
const KindPlan = "plan"

// A Plan is the file of a sweep.
type Plan struct {
	Schema  string    `json:"schema"`            // set by the Writer
	Kind    string    `json:"kind"`              // set by the Writer
	ID      string    `json:"plan"`              // as in Launch.Plan
	Time    time.Time `json:"time"`              // when the sweep began
	Sweep   string    `json:"sweep"`             // name of the sweep
	File    string    `json:"file"`              // name of the file, without directories
	SHA256  string    `json:"sha256"`            // of the file
	Lines   []string  `json:"lines"`             // of the file; a tab is four blanks, because text has no control characters
	Command []string  `json:"command,omitempty"` // of the sweep, as typed
}

// PlanLines returns the text of a file for Plan.Lines.
func PlanLines(text []byte) []string {
	lines := strings.Split(strings.TrimRight(string(text), "\r\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.ReplaceAll(strings.TrimRight(line, "\r"), "\t", "    ")
	}
	return lines
}

// Validate checks that the plan has its required fields. It returns an *InvalidError for the first
// violation.
func (p *Plan) Validate() error {
	for _, f := range []struct {
		name  string
		given bool
	}{{"plan", p.ID != ""}, {"time", !p.Time.IsZero()}, {"lines", len(p.Lines) > 0}} {
		if !f.given {
			return &InvalidError{Cell: "plan " + p.ID, Field: f.name, Rule: "must be given"}
		}
	}
	return nil
}

// WritePlan writes a row of kind "plan". It sets Schema and Kind.
func (w *Writer) WritePlan(p *Plan) error {
	p.Schema, p.Kind = Schema, KindPlan
	return w.rows(p)
}
