package coll

import (
	"slices"

	"gobench/comm/schedule"
)

// All returns every algorithm, by operation, the simplest first, and at the end those of libraries.
func All() []Algorithm {
	return slices.Concat(
		barriers(), bcasts(), scatters(), gathers(), allgathers(), alltoalls(),
		reduces(), allreduces(), reduceScatters(), scans(), exscans(), libraries(),
	)
}

// Of returns the algorithms of one operation.
func Of(kind schedule.Kind) []Algorithm {
	return slices.DeleteFunc(All(), func(a Algorithm) bool { return a.Kind != kind })
}
