package application

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"gobench/record"
)

// Application is a verb of gobench that runs programs of one kind. Its package registers it in
// an init function.
type Application struct {
	Name    string         // of the verb
	Short   string         // help: one line,
	Example string         // examples,
	Long    string         // description, as in package cobra
	New     func() Options // with default values

	// Argument is the name of the positional arguments, "" if there are none, Values lists them,
	// and Check returns an error unless they can be those of a command.
	Argument string
	Values   []string
	Check    func(arguments []string) error
}

// Options are the flags of an application.
type Options interface {
	// Flags registers the flags.
	Flags(*pflag.FlagSet)
	// Jobs returns the jobs that the flags select, in order. Its errors are usage errors.
	Jobs(Request) ([]Job, error)
}

// Request is the part of a command line that all applications share.
type Request struct {
	Arguments []string
	Ranks     int
	Threads   int         // of each rank
	Build     [][2]string // facts of this build: label and value
}

// Job is a program that all ranks run together, or of which each rank runs a copy.
type Job struct {
	Program Program
	Factors func(*record.Point) // sets the factors of the problem
	Label   string              // of the problem, for people: "class A"
	Copies  bool                // each rank runs its own copy, all at the same time
	// Serial is the problem of the serial copies that weak scaling is compared with, "" = none.
	Serial  string
	Warning string // about the result, "" = none
}

// Memory returns the memory that the job needs on all ranks, in bytes.
func (j Job) Memory(ranks, threads int) int64 {
	if j.Copies {
		return j.Program.Memory(1, threads) * int64(ranks)
	}
	return j.Program.Memory(ranks, threads)
}

var registered []Application

// Register adds an application. It is called by init functions.
func Register(a Application) { registered = append(registered, a) }

// Applications returns all registered applications by name.
func Applications() []Application {
	list := slices.Clone(registered)
	slices.SortFunc(list, func(a, b Application) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Program is an application with a given problem, to be run and timed as a whole.
type Program struct {
	Name string // of the benchmark: "cg"
	// Memory returns what all ranks together allocate, in bytes, within 10 %.
	Memory func(ranks, threads int) int64
	// New does the untimed setup. It is collective.
	New func(r *Rank) (Instance, error)
	// Operations is the number of operations of one run, in millions, for any number of ranks.
	// Metric is Operations divided by the time of the run.
	Operations float64
	// Rate is the number of Operations in a second of a core whose loop of package pace takes
	// RateLoop, for expected times; 0 = unknown.
	Rate float64
	// Metric is the key of the rate in records: "mops".
	Metric string
}

// RateLoop is the time in seconds of the loop of package pace on the core of Program.Rate, a
// virtual one of an AMD EPYC (family 26, model 2).
const RateLoop = 2.3e-6

// Instance is an application on one rank. It may be run again.
type Instance interface {
	// Run does one run and verifies it. It is collective, and all ranks return the same Seconds;
	// Wrong is set on at least one rank, Text and Facts on rank 0.
	Run() (Outcome, error)
}

// Outcome is the result of a run.
type Outcome struct {
	Seconds float64 // of the run, by the rule of the application
	Wrong   string  // the first quantity that failed verification, "" if all passed
	Text    string  // output for people, whole lines; may be empty
	// Facts of the run for its record, on rank 0: fields that SCHEMA.md explains.
	Facts map[string]any
	// Metrics of the run besides its time and rate, on rank 0, by their keys in the catalogue.
	Metrics map[string]float64
}

// VerificationError reports a run with a wrong result. Such a run has no time.
type VerificationError struct {
	Program string
	Ranks   int
	Wrong   string
}

func (e *VerificationError) Error() string {
	return fmt.Sprintf("%s on %d ranks: verification failed: %s", e.Program, e.Ranks, e.Wrong)
}
