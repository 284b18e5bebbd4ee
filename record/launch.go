package record

import (
	"cmp"
	"fmt"
	"time"
)

// KindLaunch is the kind of a row that marks a complete launch of a sweep.
const KindLaunch = "launch"

// A Launch marks a complete launch of a sweep. Its points precede it in the file, under its run. An
// interrupted sweep continues after the last of these rows.
type Launch struct {
	Schema string    `json:"schema"`           // set by the Writer
	Kind   string    `json:"kind"`             // set by the Writer
	Run    string    `json:"run"`              // ID of the run
	Time   time.Time `json:"time"`             // begin of the launch
	Series string    `json:"series,omitempty"` // series of its runs, if it has a run for each number of ranks

	Sweep string `json:"sweep"` // name of the sweep
	// ID of its plan (sweep.Plan.ID): only launches of the same plan are replications of each other
	Plan     string   `json:"plan,omitempty"`
	Command  []string `json:"command"`           // verb and flags that select what is measured
	Program  string   `json:"program,omitempty"` // path of the program, if a sweep compares several
	Version  string   `json:"version"`           // of the program
	Build    string   `json:"build,omitempty"`   // first digits of the digest of its file, see Run.Program
	Host     string   `json:"host"`              // name of the machine that launched
	Launch   int      `json:"launch"`            // number of the launch of this command, from 1
	Block    int      `json:"block"`             // number of the random block, from 1
	Seed     int64    `json:"seed"`              // of the sweep: determines the order of all blocks
	Points   int      `json:"points"`
	Duration float64  `json:"duration_s"` // wall time of the launch
	// most memory that its processes used concurrently; absent if not sampled
	Memory  int64 `json:"memory_B,omitempty"`
	Exceeds bool  `json:"exceeds,omitempty"` // a limit of --fail-if
}

// Validate checks that the launch has its required fields. It returns an *InvalidError for the
// first violation.
func (l *Launch) Validate() error {
	bad := func(field, rule string) error {
		return &InvalidError{Cell: "launch of run " + l.Run, Field: field, Rule: rule}
	}
	switch {
	case l.Run == "":
		return bad("run", "must be given")
	case l.Time.IsZero():
		return bad("time", "must be given")
	case len(l.Command) == 0:
		return bad("command", "must be given")
	case l.Launch < 1 || l.Block < 1:
		return bad("launch", fmt.Sprintf("launch %d of block %d: both count from 1", l.Launch, l.Block))
	case l.Points < 0 || !(l.Duration >= 0) || l.Memory < 0:
		return bad("points", fmt.Sprintf("%d points in %v s, %d bytes of memory", l.Points, l.Duration, l.Memory))
	}
	return nil
}

// LaunchOf returns a function that returns the complete launch of a run, nil if there is none. A
// launch with a run for each number of ranks marks their series, and names the first of them only.
func LaunchOf(launches []Launch) func(*Run) *Launch {
	of := make(map[string]*Launch, len(launches)) // by series or run
	for i := range launches {
		of[cmp.Or(launches[i].Series, launches[i].Run)] = &launches[i]
	}
	return func(r *Run) *Launch { return cmp.Or(of[r.Series], of[r.ID]) }
}

// WriteLaunch writes a row of kind "launch". It sets Schema and Kind.
func (w *Writer) WriteLaunch(l *Launch) error {
	l.Schema, l.Kind = Schema, KindLaunch
	return w.rows(l)
}
