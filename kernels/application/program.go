package application

import "fmt"

// Program is an application that is ready to be run and timed as a whole, with its
// problem chosen.
type Program struct {
	Name string // of the benchmark: "cg"
	// Memory is what the rank that needs most allocates, in bytes.
	Memory func(ranks, threads int) int64
	// New makes all that is not timed. It is collective.
	New func(r *Rank) (Instance, error)
	// Operations of one run on one rank or more, of which Metric counts so many
	// millions in a second.
	Operations float64
	// Metric is the key of the rate in records: "mops".
	Metric string
}

// Instance is an application on one rank. It may be run again.
type Instance interface {
	// Run does one run and verifies it. It is collective, and all ranks return the
	// same outcome but for its Text, which is rank 0's.
	Run() (Outcome, error)
}

// Outcome is what a run comes to.
type Outcome struct {
	Seconds float64 // of the run, by the rule of the application
	Wrong   string  // what is not verified, empty if all is
	Text    string  // for people, whole lines; empty if there is nothing to say
	// Facts of the run for its record, on rank 0: fields that SCHEMA.md explains.
	Facts map[string]any
}

// VerificationError says that a run came to a wrong result: it has no time.
type VerificationError struct {
	Program string
	Ranks   int
	Wrong   string
}

func (e *VerificationError) Error() string {
	return fmt.Sprintf("%s on %d ranks: verification failed: %s", e.Program, e.Ranks, e.Wrong)
}
