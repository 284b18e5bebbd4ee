package coll

import "gobench/comm/schedule"

// A broadcast of a long vector is a scatter and an allgather of its parts: every rank sends and
// receives about twice the vector, and the root no more than the others (van de Geijn).

// scattered emits a scatter of the vector and returns the layout of its parts.
func scattered(b *schedule.Builder) layout {
	at := cut(b, b.RecvBuf(), b.Ranks)
	for _, s := range mst(b.Rank, b.Root, b.Ranks) {
		m, _ := sideBySide(at, s.half) // parts of one vector always are
		if b.Rank == s.root {
			b.Send(m, s.other)
		} else {
			b.Recv(m, s.root)
		}
	}
	return at
}

func scatterRingBcast(b *schedule.Builder) { ringAllgather(b, scattered(b)) }

func bcastScatterDoubling() Algorithm {
	return Algorithm{
		Name: "scatter-recursive-doubling", Kind: schedule.Bcast,
		Source: "Barnett et al. 1994; MPICH for medium vectors",
		About:  "MST scatter, then allgather by recursive doubling",
		Fits:   powerOfTwoRanks,
		Build: func(b *schedule.Builder, _ int) {
			at := scattered(b)
			doublingAllgather(b, at(b.Rank), at)
		},
	}
}

func powerOfTwoRanks(s *schedule.Shape) string {
	if !isPower(s.Ranks) {
		return "it works on a power of two of ranks"
	}
	return ""
}
