package collective

import "testing"

// Operations are found by the names of MPI and OSU, in either case and in each form.
func TestLookup(t *testing.T) {
	for name, want := range map[string]string{
		"bcast": "bcast", "MPI_Bcast": "bcast", "osu_allreduce": "allreduce", "Reduce-Scatter": "reduce_scatter", "mpi_": "", "broadcast": "",
		"Iallreduce": "iallreduce", "osu_ialltoallv": "ialltoallv", "MPI_Scatterv": "scatterv", "bcastv": "", "ii": "", "iv": "",
	} {
		form, ok := Lookup(name)
		if ok != (want != "") || ok && form.Benchmark().Name != want {
			t.Errorf("%s: %v, %v", name, form, ok)
		}
	}
}
