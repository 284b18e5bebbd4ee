//go:build mpi

package mpi

import (
	"slices"
	"strings"

	"gobench/internal/lazyregexp"
)

// moduleFile matches the files that MPI libraries load for the transport that they have chosen:
// modules of Open MPI, which unloads the others, and of UCX, and libfabric.
var moduleFile = lazyregexp.New(`/(?:mca_((?:pml|bml|btl|mtl|coll)_\w+)|lib(uct_\w+|ucp|fabric))\.so[.0-9]*$`)

// modules returns the names of such modules in a table of mappings (/proc/PID/maps), in
// alphabetical order.
func modules(mappings string) string {
	var names []string
	for line := range strings.Lines(mappings) {
		if m := moduleFile.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			names = append(names, m[1]+m[2])
		}
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " ")
}
