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

func allreduceSegmented() Algorithm {
	return Algorithm{
		Name: "ring-segmented", Kind: schedule.Allreduce,
		Source: "Open MPI, segmented ring",
		About:  "the ring for one segment after the other, each small enough for the cache",
		Param:  "the bytes of a segment", Default: 256 << 10, Values: []int{64 << 10, 256 << 10},
		Fits: commutes,
		Build: func(b *schedule.Builder, bytes int) {
			input, result := segments(b, b.Input(), bytes), segments(b, b.RecvBuf(), bytes)
			for i := range input {
				ringSum(b, input[i], result[i])
			}
		},
	}
}
