//go:build mpi && cgo

package mpi

import (
	"testing"

	"gobench/device"
	"gobench/transports/mpi/library"
)

// A window leaves to messages what its library does not do, or does wrong.
func TestRegionOffers(t *testing.T) {
	for _, c := range []struct {
		version, operator, element string
		want                       bool
	}{
		{"Open MPI v4.1.4, package", "sum", "uint64", true},
		{"Open MPI v4.1.4, package", "replace", "int32", true},
		{"Open MPI v4.1.4, package", "sum", "uint8", false},
		{"Open MPI v4.1.4, package", device.OpSwap, "uint64", false},
		{"MPICH Version: 4.0.2", "sum", "uint8", true},
		{"MPICH Version: 4.0.2", device.OpSwap, "int", true},
		{"MPICH Version: 4.0.2", "sum", "float64", false},
		{"MPICH Version: 4.0.2", "minloc", "int64", false},
	} {
		r := &region{d: &mpi{job: &job{Facts: library.Facts{Version: c.version}}}}
		if got := r.Offers(c.operator, c.element); got != c.want {
			t.Errorf("%s of %s with %s: %v", c.operator, c.element, c.version, got)
		}
	}
}
