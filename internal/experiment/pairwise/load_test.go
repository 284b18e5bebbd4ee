package pairwise

import "testing"

// In a step, what a host sends to another is what that receives from it, and each pattern has its
// partners.
func TestPatterns(t *testing.T) {
	const n = 5
	for pattern, want := range map[string]int{"incast": n - 1, "fanout": n - 1, "broadcast": n - 1, "alltoall": n, "random": n} {
		l := Load{Pattern: pattern, Seed: 1}
		met := map[[2]int]bool{}
		for step := range 2 * n {
			messages := 0
			for from := range n {
				for to := range n {
					if size := l.step(step, n, from, to); size > 0 {
						messages++
						met[[2]int{from, to}] = true
						if from == to {
							t.Errorf("%s: %d sends to itself", pattern, from)
						}
					}
				}
			}
			if messages != want {
				t.Errorf("%s: %d messages in step %d, want %d", pattern, messages, step, want)
			}
		}
		if pattern == "alltoall" && len(met) != n*(n-1) {
			t.Errorf("alltoall: %d of %d pairs", len(met), n*(n-1))
		}
	}
	m := Load{Pattern: "matrix", Matrix: [][]int{{9, 1}, {0, 9}}}
	if m.step(0, 2, 0, 1) != 1 || m.step(0, 2, 1, 0) != 0 || m.step(0, 2, 0, 0) != 0 {
		t.Error("a step of a matrix is not that of its fields")
	}
}
