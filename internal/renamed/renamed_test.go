package renamed

import "testing"

func TestAlgorithm(t *testing.T) {
	for _, c := range [][3]string{
		{"bcast", "shm-copy", "smem-copy"},
		{"bcast", "scatter-bde", "scatter-recursive-doubling"},
		{"iallreduce", "bde", "recursive-doubling"},
		{"allreduce", "bde-nb", "recursive-doubling-nb"},
		{"reduce_scatter", "bde-nb", "recursive-halving-nb"},
		{"ireduce_scatter", "bde", "recursive-halving"},
		{"allreduce", "ring", "ring"},
		{"pingpong", "", ""},
	} {
		if got := Algorithm(c[0], c[1]); got != c[2] {
			t.Errorf("%s of %s is now %s, want %s", c[1], c[0], got, c[2])
		}
	}
}
