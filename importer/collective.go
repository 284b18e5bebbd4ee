package importer

import (
	"strings"

	"gobench/record"
)

// collectives lists the names of the operations whose logs can be read.
var collectives = map[string]bool{
	"allgather": true, "allgatherv": true, "allreduce": true, "alltoall": true, "alltoallv": true, "alltoallw": true,
	"barrier": true, "bcast": true, "gather": true, "gatherv": true, "reduce": true, "reduce_scatter": true,
	"reduce_scatter_block": true, "scan": true, "exscan": true, "scatter": true, "scatterv": true,
}

// reductions lists the operations that reduce.
var reductions = map[string]bool{
	"allreduce": true, "reduce": true, "reduce_scatter": true, "reduce_scatter_block": true, "scan": true, "exscan": true,
}

// evenly records that the blocks of a vector form are equally long: so IMB and OSU call it.
func evenly(p *record.Point) {
	switch strings.TrimPrefix(p.Bench, "i") {
	case "allgatherv", "alltoallv", "alltoallw", "gatherv", "scatterv":
		p.Distribution = "even"
	}
}

// overlap adds the times of a non-blocking operation, in microseconds, and the overlapped share, in
// percent, to a point.
func overlap(p *record.Point, overlapped, pure, compute, percent number) {
	for key, x := range map[string]number{"overlapped_s": overlapped, "pure_s": pure, "compute_s": compute} {
		if x.x > 0 {
			p.Metrics.Set(key, mean(x.x*1e-6))
		}
	}
	p.Metrics.Set("overlap_ratio", mean(min(1, max(0, percent.x/100))))
}

// overRanks adds the times of the fastest rank and of the mean rank, in microseconds, to a point of
// a collective whose time equals that of the slowest rank.
func overRanks(p *record.Point, fastest, average number) {
	if fastest.x > 0 {
		p.Metrics.Set("fastest_s", mean(fastest.x*1e-6))
	}
	if average.x > 0 {
		p.Metrics.Set("average_s", record.Value{Median: average.x * 1e-6, N: 1, Statistic: record.RankMean})
	}
}
