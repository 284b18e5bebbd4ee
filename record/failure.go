package record

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"gobench/internal/collect"
	"gobench/internal/human"
)

// KindFailure is the kind of a row that marks a failed launch.
const KindFailure = "failure"

// A Failure marks a launch that failed, of a sweep or of a command of its own. If a sweep repeated
// it with success, a Launch of the same command and number follows. Points of the failed launch are
// no results.
type Failure struct {
	Schema string    `json:"schema"` // set by the Writer
	Kind   string    `json:"kind"`   // set by the Writer
	Run    string    `json:"run"`    // ID of the attempt
	Time   time.Time `json:"time"`   // begin of the launch

	Sweep   string   `json:"sweep"`             // name of the sweep, "" = none
	Plan    string   `json:"plan,omitempty"`    // see Launch; without a sweep the series
	Name    string   `json:"name"`              // of the command, for people
	Command []string `json:"command"`           // see Launch
	Program string   `json:"program,omitempty"` // path of the program, if a sweep compares several
	Host    string   `json:"host"`              // name of the machine that launched
	Launch  int      `json:"launch"`            // number of the launch of this command, from 1
	Block   int      `json:"block"`             // number of the random block, from 1
	Attempt int      `json:"attempt"`           // number of the attempt at this launch, from 1

	Why      string  `json:"why"`        // a clause: "it ended with exit code 1"
	Duration float64 `json:"duration_s"` // wall time of the attempt
}

// Validate checks that the failure has its required fields. It returns an *InvalidError for the
// first violation.
func (f *Failure) Validate() error {
	bad := func(field, rule string) error {
		return &InvalidError{Cell: "failure of " + f.Name, Field: field, Rule: rule}
	}
	switch {
	case f.Run == "":
		return bad("run", "must be given")
	case f.Time.IsZero():
		return bad("time", "must be given")
	case f.Name == "" || len(f.Command) == 0:
		return bad("command", "must be given, and its name")
	case f.Why == "":
		return bad("why", "must be given")
	case f.Launch < 1 || f.Block < 1 || f.Attempt < 1:
		return bad("launch", fmt.Sprintf("attempt %d at launch %d of block %d: all count from 1", f.Attempt, f.Launch, f.Block))
	case !(f.Duration >= 0):
		return bad("duration_s", fmt.Sprintf("%v s", f.Duration))
	}
	return nil
}

// WriteFailure writes a row of kind "failure". It sets Schema and Kind.
func (w *Writer) WriteFailure(f *Failure) error {
	f.Schema, f.Kind = Schema, KindFailure
	return w.rows(f)
}

// Failed returns a sentence for each command of a plan of which launches failed: how many, how many
// of these were repeated with success, and why the first failed.
func (f *File) Failed() (list []string) {
	command := func(plan, program string, words []string) string {
		return strings.Join(append([]string{plan, program}, words...), "\x00")
	}
	id := func(command string, launch int) string { return fmt.Sprint(command, "\x00", launch) }
	complete, last := map[string]bool{}, map[string]int{} // launches, and the last of a command
	for _, l := range f.Launches {
		of := command(l.Plan, l.Program, l.Command)
		complete[id(of, l.Launch)], last[of] = true, max(last[of], l.Launch)
	}
	key := func(one Failure) string { return command(one.Plan, one.Program, one.Command) }
	for _, of := range collect.By(f.Failures, key) {
		first := of[0]
		repeated, gaveUp := map[int]bool{}, map[int]bool{} // launches
		launches := last[key(first)]
		for _, one := range of {
			launches = max(launches, one.Launch)
			if complete[id(key(one), one.Launch)] {
				repeated[one.Launch] = true
			} else {
				gaveUp[one.Launch] = true
			}
		}
		name := strings.Join(slices.DeleteFunc([]string{first.Program, first.Name}, func(s string) bool { return s == "" }), " ")
		n := len(repeated) + len(gaveUp)
		end := "were repeated until they succeeded"
		switch {
		case len(repeated) == 0 && n == 1:
			end = "was left out"
		case len(repeated) == 0:
			end = "were left out"
		case n == 1:
			end = "was repeated until it succeeded"
		case len(gaveUp) > 0:
			end += fmt.Sprintf(", but for %d", len(gaveUp))
		}
		list = append(list, fmt.Sprintf("%s: %d of %s failed (%s) and %s: %s", name, n, human.Count(launches, "launch", "launches"),
			human.Count(len(of), "attempt", "attempts"), end, first.Why))
	}
	return list
}
