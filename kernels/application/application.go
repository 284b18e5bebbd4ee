package application

import (
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
