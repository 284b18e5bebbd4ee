package coll

import (
	"gobench/comm/coll/shared"
	"gobench/comm/schedule"
)

// Algorithm is one way to do one collective operation. Exactly one of Build and
// Share is set.
type Algorithm struct {
	Name   string // the field's name, "binomial"
	Kind   schedule.Kind
	Source string // who described it: paper, section
	About  string // one line

	// Param is what the number in NAME:NUMBER means ("children of a node",
	// "bytes of a segment"), "" where there is none. Default holds if none is
	// given, and Values are those worth trying.
	Param   string
	Default int
	Values  []int

	// Fits says why the algorithm cannot do a shape, "" if it can; the answer
	// must be the same on all ranks. nil fits all.
	Fits func(s *schedule.Shape) string

	Build func(b *schedule.Builder, param int) // emits the program of one rank
	Share shared.Func                          // works in shared memory
}
