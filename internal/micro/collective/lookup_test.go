package collective

import "testing"

// Operations are found by the names of MPI and OSU, in either case.
func TestLookup(t *testing.T) {
	for name, want := range map[string]string{
		"bcast": "bcast", "MPI_Bcast": "bcast", "osu_allreduce": "allreduce", "Reduce-Scatter": "reduce_scatter", "osu_neighbor_alltoallw": "neighbor_alltoall", "alltoallw": "alltoall", "mpi_": "", "broadcast": "",
	} {
		kind, _, ok := Lookup(name)
		if ok != (want != "") || ok && kind.String() != want {
			t.Errorf("%s: %v, %v", name, kind, ok)
		}
	}
}
