package coll

import (
	"slices"

	"gobench/comm/schedule"
)

// catalogue holds the algorithms of each operation. It is filled once, before main, because the
// start of each rank looks up about a hundred algorithms for the default tables.
var catalogue [schedule.Kinds][]Algorithm

// fillCatalogue sets catalogue. It cannot be a variable's initial value, because algorithms of two
// levels choose others from it.
func fillCatalogue() {
	for _, a := range slices.Concat(
		barriers(), bcasts(), scatters(), gathers(), allgathers(), alltoalls(),
		reduces(), allreduces(), reduceScatters(), scans(), exscans(), neighbors(), libraries(),
	) {
		catalogue[a.Kind] = append(catalogue[a.Kind], a)
	}
}

// All returns every algorithm, by operation: the simplest first, and that of libraries last.
func All() []Algorithm { return slices.Concat(catalogue[:]...) }

// Of returns the algorithms of one operation, which must not be changed.
func Of(kind schedule.Kind) []Algorithm { return catalogue[kind] }
