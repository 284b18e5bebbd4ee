package coll

import "gobench/comm/schedule"

func reduceRing() Algorithm {
	return Algorithm{
		Name: "ring-gather", Kind: schedule.Reduce,
		Source: "F-MPJ table 1, BKTReduce_scatter+MSTGather",
		About:  "bucket reduce-scatter, then MST gather to the root",
		Fits:   commutes,
		Build: func(b *schedule.Builder, _ int) {
			parts, to := cut(b, b.Input(), b.Ranks), cut(b, schedule.Mem{Buffer: schedule.RecvBuffer, Len: b.Bytes}, b.Ranks)
			mine := to(b.Rank)
			if b.Rank != b.Root { // only the root has memory for the result
				mine = b.Scratch(mine.Len)
			}
			ringReduceScatter(b, parts, mine)
			mstGather(b, b.Root, mine, to)
		},
	}
}

func commutes(s *schedule.Shape) string {
	if !s.Commutative {
		return "it combines in another order than that of the ranks"
	}
	return ""
}
