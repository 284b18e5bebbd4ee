package huge

import "testing"

func TestArraysAreZeroAndWhole(t *testing.T) {
	for _, n := range []int{0, 1, page / 8, 3*page/8 + 5} {
		s := Float64s(n)
		if len(s) != n {
			t.Fatalf("%d numbers, want %d", len(s), n)
		}
		for i, v := range s {
			if v != 0 {
				t.Fatalf("number %d of %d is %v, want 0", i, n, v)
			}
			s[i] = 1
		}
	}
}
