package coll

import "gobench/comm/schedule"

func alltoallWindow() Algorithm {
	return Algorithm{
		Name: "linear", Kind: schedule.Alltoall,
		Source: "Open MPI, linear_sync; MPICH, scattered",
		About:  "non-blocking exchanges, a limited number of them under way",
		Param:  "the exchanges under way", Default: 4, Values: []int{2, 8},
		Build: func(b *schedule.Builder, window int) {
			out := outgoing(b)
			p := b.Ranks
			var under [][2]schedule.Slot
			for i := 1; i < p; i++ {
				if n := len(under) - max(1, window); n >= 0 {
					b.Wait(under[n][0], under[n][1])
				}
				to, from := (b.Rank+i)%p, (b.Rank-i+p)%p
				r := b.Irecv(b.RecvBlock(from), from)
				under = append(under, [2]schedule.Slot{r, b.Isend(out(to), to)})
			}
			for _, s := range under[max(0, len(under)-max(1, window)):] {
				b.Wait(s[0], s[1])
			}
			b.Copy(b.RecvBlock(b.Rank), out(b.Rank))
		},
	}
}
