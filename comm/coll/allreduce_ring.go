package coll

import "gobench/comm/schedule"

func ringAllreduce(b *schedule.Builder) {
	ringSum(b, b.Input(), b.RecvBuf())
}

// ringSum leaves the sum of a vector, or of a segment of it, at result on all ranks.
func ringSum(b *schedule.Builder, input, result schedule.Mem) {
	to := cut(b, result, b.Ranks)
	ringReduceScatter(b, cut(b, input, b.Ranks), to(b.Rank))
	ringAllgather(b, to)
}
