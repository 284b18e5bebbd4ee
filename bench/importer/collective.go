package importer

import (
	"gobench/bench/record"
)

// collectives lists the operations whose logs can be read, by their names in lower case.
var collectives = map[string]bool{
	"allgather": true, "allgatherv": true, "allreduce": true, "alltoall": true, "alltoallv": true, "alltoallw": true,
	"barrier": true, "bcast": true, "gather": true, "gatherv": true, "reduce": true, "reduce_scatter": true,
	"reduce_scatter_block": true, "scan": true, "exscan": true, "scatter": true, "scatterv": true,
}

// overlap adds the times in microseconds of a non-blocking operation and the overlapped share, in
// percent, to a point.
func overlap(p *record.Point, overlapped, pure, compute, percent number) {
	for key, x := range map[string]number{"overlapped_s": overlapped, "pure_s": pure, "compute_s": compute} {
		if x.x > 0 {
			p.Metrics[key] = mean(x.x * 1e-6)
		}
	}
	p.Metrics["overlap_ratio"] = mean(min(1, max(0, percent.x/100)))
}
