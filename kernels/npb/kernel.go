package npb

import (
	"cmp"
	"slices"

	"gobench/kernels/application"
)

// Kernel is one benchmark of the suite.
type Kernel struct {
	Name  string // "cg"
	About string // one line: its computation and its bottleneck

	// Last is the largest class of the kernel if it is not D.
	Last Class
	// Problem describes a class.
	Problem func(Class) Problem
	// Legal returns a *RanksError unless the class can run on the given number of ranks.
	Legal func(class Class, ranks int) error
	// Memory returns what all ranks together allocate, in bytes, within 10 %.
	Memory func(class Class, ranks, threads int) int64
	// New does the untimed setup. It is collective. The garbage collector frees the memory of the
	// instance.
	New func(r *application.Rank, class Class) (Instance, error)

	// Zoned selects the layout of the output of NPB-MZ.
	Zoned bool
	// RootTime selects the time of rank 0 (FT) instead of the longest time of a rank.
	RootTime bool
}

// Classes lists the classes of the kernel in increasing size.
func (k *Kernel) Classes() []Class {
	all := Classes() // whose letters are not in the order of the alphabet
	return all[:1+slices.Index(all, cmp.Or(k.Last, D))]
}

// Instance is a kernel that is ready to run on one rank.
type Instance interface {
	// Run does one run and verifies it. It is collective.
	Run() (Result, error)
}

// Problem describes a class of a kernel.
type Problem struct {
	Title, Block string // names in the title and in the block of results, if not that of the kernel
	Size         string // as in the block of results: "14000", " 256x 256x 256"
	// lines between the title and the results, as in the official output: a format for the number
	// of ranks
	Header     string
	Iterations int     // as in the block of results
	Operations float64 // in millions, by the official formula
	Kind       string  // of operations: "floating point"
}
