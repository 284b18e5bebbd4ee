package parallel

import "testing"

func TestEveryIndexIsDoneOnce(t *testing.T) {
	for _, n := range []int{0, 1, 3, 1000} {
		done := make([]int, n)
		For(n, func(i int) { done[i]++ })
		for i, times := range done {
			if times != 1 {
				t.Errorf("%d of %d was done %d times", i, n, times)
			}
		}
	}
}
