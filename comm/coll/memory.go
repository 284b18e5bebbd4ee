package coll

import (
	"gobench/comm/schedule"
	"gobench/internal/comm/coll/shared"
)

// inMemory returns an algorithm in shared memory, whose name begins with smem-.
func inMemory(kind schedule.Kind, name, about string, share shared.Func) Algorithm {
	return Algorithm{
		Name: "smem-" + name, Kind: kind, About: about, Share: share,
		Source: "collectives in the device layer: thesis, future work; here package shared",
		Fits: func(s *schedule.Shape) string {
			if kind == schedule.Alltoall && !s.Uniform() {
				return "it works on equal blocks"
			}
			if !shared.Holds(s) {
				return "the store of a rank is too small for this number of ranks, or for such elements"
			}
			return ""
		},
	}
}
