package coll

import "gobench/comm/schedule"

// barrierDissemination returns the k-way dissemination barrier. Before a round of step s every rank
// has received a message, directly or indirectly, from the s - 1 ranks before it. In the round it
// sends to the ranks at distance s, 2 s ... (k - 1) s after it, so the step grows k times.
func barrierDissemination() Algorithm {
	return Algorithm{
		Name: "dissemination", Kind: schedule.Barrier,
		Source: "Hensgen, Finkel, Manber 1988; k-way: Hoefler et al. 2006",
		About:  "in round r every rank sends to those k^r, 2 k^r ... after it",
		Param:  "the radix k", Default: 2, Values: []int{2, 4, 8},
		Build: func(b *schedule.Builder, k int) {
			p := b.Ranks
			for step, k := 1, max(2, min(k, p)); step < p; step *= k {
				if k == 2 {
					b.Exchange(nothing, (b.Rank+step)%p, nothing, (b.Rank-step+p)%p)
					continue
				}
				var under []schedule.Slot
				for d := step; d < min(k*step, p); d += step {
					under = append(under, b.Irecv(nothing, (b.Rank-d+p)%p))
				}
				for d := step; d < min(k*step, p); d += step {
					under = append(under, b.Isend(nothing, (b.Rank+d)%p))
				}
				b.Wait(under...)
			}
		},
	}
}
