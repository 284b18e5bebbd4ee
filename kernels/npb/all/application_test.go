package all

import (
	"testing"

	"gobench/kernels/npb"
)

func TestGrowth(t *testing.T) {
	for _, c := range []struct {
		class npb.Class
		ranks int
		want  npb.Class // 0 = an error
	}{
		{npb.A, 1, npb.A}, {npb.A, 4, npb.B}, {npb.A, 16, npb.C}, {npb.B, 4, npb.C}, {npb.C, 1, npb.C},
		{npb.A, 2, 0}, {npb.A, 64, 0}, {npb.B, 16, 0}, {npb.S, 4, 0}, {npb.D, 1, 0},
	} {
		got, err := grow(c.class, c.ranks)
		if got != c.want || (err == nil) != (c.want != 0) {
			t.Errorf("class %v on %d ranks grows to %v (%v), want %v", c.class, c.ranks, got, err, c.want)
		}
	}
}

// Classes of MG leave a rank a quarter, or twice, of what a copy has, and the matrix
// of CG grows sevenfold from A to B, and less than threefold from B to C.
func TestUnevenClassesHaveAWarning(t *testing.T) {
	for _, k := range Kernels() {
		for _, from := range []npb.Class{npb.A, npb.B} {
			warning := uneven(k, from, from-'A'+'B', 4)
			if want := k.Name == "mg" || k.Name == "cg"; (warning != "") != want {
				t.Errorf("%s from class %v: %q", k.Name, from, warning)
			}
		}
	}
}
