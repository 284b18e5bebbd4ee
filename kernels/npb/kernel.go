package npb

import "gobench/kernels/application"

// Kernel is one benchmark of the suite.
type Kernel struct {
	Name  string // "cg"
	About string // what it does and what limits it, one line

	// Problem describes a class.
	Problem func(Class) Problem
	// Legal returns nil if so many ranks may run the class, else a *RanksError.
	Legal func(class Class, ranks int) error
	// Memory is what the rank that needs most allocates for the class, in bytes,
	// exact to a tenth.
	Memory func(class Class, ranks, threads int) int64
	// New makes all that is not timed. It is collective. Its memory is the
	// garbage collector's once the instance is dropped.
	New func(r *application.Rank, class Class) (Instance, error)

	// RootTime says that the time of a run is rank 0's own (FT), not the longest.
	RootTime bool
}

// Instance is a kernel that is ready to run on one rank.
type Instance interface {
	// Run does one run and verifies it. It is collective.
	Run() (Result, error)
}

// Problem describes a class of a kernel.
type Problem struct {
	Size       string  // as the block of results has it: "14000", " 256x 256x 256"
	Header     string  // lines between the title and the results, as in the official output
	Iterations int     // as the block has it
	Operations float64 // millions of them, by the official formula
	Kind       string  // of operations: "floating point"
}
