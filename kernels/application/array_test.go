package application

import "testing"

func TestArraysAreZeros(t *testing.T) {
	for _, n := range []int{0, 1, 1000, 1 << 20} {
		a := Array[float64](n)
		if len(a) != n {
			t.Fatalf("an array of %d has %d", n, len(a))
		}
		for i := range a {
			if a[i] != 0 {
				t.Fatalf("element %d of %d is %v", i, n, a[i])
			}
			a[i] = 1 // it can be written
		}
	}
}
