package collective

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gobench/comm/schedule"
)

// distributions maps the distributions of uneven blocks to the weights of the blocks of ranks.
var distributions = map[string]func(rank, ranks int) float64{
	"even": func(int, int) float64 { return 1 },
	"large": func(rank, ranks int) float64 {
		if rank == ranks-1 {
			return float64(max(1, ranks-1))
		}
		return 1
	},
	"empty": func(rank, _ int) float64 { return float64((rank + 1) % 2) },
	"zipf":  func(rank, _ int) float64 { return 1 / float64(rank+1) },
	"random": func(rank, ranks int) float64 {
		return rand.New(rand.NewPCG(uint64(ranks), uint64(rank))).Float64()
	},
}

// CheckDistribution returns an error for an unknown distribution, or an operation without a form
// for uneven blocks.
func CheckDistribution(kind schedule.Kind, name string) error {
	if distributions[name] == nil {
		return fmt.Errorf("unknown distribution %q; known: even, large (one block is half of all), empty (every second block), zipf, random", name)
	}
	if !slices.Contains([]schedule.Kind{schedule.Gather, schedule.Scatter, schedule.Allgather, schedule.Alltoall}, kind) {
		return fmt.Errorf("%v has no form for uneven blocks: choose gather, scatter, allgather or alltoall", kind)
	}
	return nil
}

// Counts returns the bytes of the blocks of a distribution, which are ranks x size together.
func Counts(name string, size, ranks int) []int {
	weights, sum := make([]float64, ranks), 0.0
	for rank := range weights {
		weights[rank] = distributions[name](rank, ranks)
		sum += weights[rank]
	}
	counts, end, part := make([]int, ranks), 0, 0.0
	for rank, w := range weights {
		part += w
		next := int(math.Round(part / sum * float64(size*ranks)))
		counts[rank], end = next-end, next
	}
	return counts
}

// Uneven returns the blocks of a distribution (schedule.Shape.SendBlocks).
func Uneven(name string, size, ranks int) []schedule.Block {
	counts := Counts(name, size, ranks)
	blocks := make([]schedule.Block, ranks)
	for rank, at := range offsets(counts) {
		blocks[rank] = schedule.Block{Off: at, Len: counts[rank]}
	}
	return blocks
}

// offsets returns where contiguous blocks begin.
func offsets(counts []int) []int {
	at, list := 0, make([]int, len(counts))
	for i, n := range counts {
		list[i] = at
		at += n
	}
	return list
}
