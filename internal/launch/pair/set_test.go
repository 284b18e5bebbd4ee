package pair

import "testing"

// Pairs of ranks that may measure at the same time have lines of their own.
func TestPairsOfARingShareNoLines(t *testing.T) {
	for _, ranks := range []int{2, 3, 4, 5, 64} {
		seen := map[int]bool{}
		for rank := range ranks {
			peer := (rank + 1) % ranks
			if set(rank, peer) != set(peer, rank) {
				t.Errorf("%d ranks: %d and %d do not agree", ranks, rank, peer)
			}
			seen[set(rank, peer)] = true
			if n := set(rank, peer); n >= 2*ranks {
				t.Errorf("%d ranks: no room for set %d", ranks, n)
			}
		}
		if ranks > 2 && len(seen) != ranks {
			t.Errorf("%d ranks: %d sets", ranks, len(seen))
		}
	}
}
