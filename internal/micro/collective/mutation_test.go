package collective_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gobench/bench"
	"gobench/comm/coll"
	"gobench/comm/schedule"
	"gobench/internal/micro/collective"
)

// broken returns an algorithm in shared memory that flips one bit of the result of one rank in
// every k-th operation.
func broken(kind schedule.Kind, victim, k int) *coll.Choice {
	right := coll.Of(kind)[slices.IndexFunc(coll.Of(kind), func(a coll.Algorithm) bool { return a.Shared() })]
	seen := 0 // of the victim
	rng := rand.New(rand.NewPCG(uint64(kind), uint64(k)))
	wrong := right.Changed("broken", func(c *schedule.Call) {
		result := c.Recv
		if kind == schedule.ReduceScatter {
			result = c.Recv[:c.Shape.Len(victim)] // in place the input is longer
		}
		if c.Shape.Rank != victim || len(result) == 0 {
			return
		}
		if seen++; seen%k == 0 {
			result[rng.IntN(len(result))] ^= 1 << rng.IntN(8)
		}
	})
	return &coll.Choice{Algorithm: wrong}
}

// The benchmark of every operation fails if one bit anywhere in a result is wrong, also in the last
// place of a sum.
func TestEveryOperationDetectsAWrongBit(t *testing.T) {
	for kind := schedule.Bcast; kind <= schedule.Exscan; kind++ { // TestNeighborhoodsDetectWrongData has the others
		if testing.Short() && kind != schedule.Allreduce {
			continue // for the race detector: the reaction to wrong data is the same for all
		}
		victim := 1 // not the root, and no rank without a result
		if kind == schedule.Gather || kind == schedule.Reduce {
			victim = 0
		}
		for _, inPlace := range []bool{false, true} {
			if inPlace && (collective.CanInPlace(kind) != nil || victim == 1 && kind == schedule.Scatter) {
				continue
			}
			for _, k := range []int{1, 3} {
				for _, size := range []int{64, 70000} {
					t.Run(fmt.Sprintf("%v/in place %v/every %d/%d B", kind, inPlace, k, size), func(t *testing.T) {
						b := collective.New(kind, collective.Options{Algorithm: broken(kind, victim, k), InPlace: inPlace})
						found, err := over(t, "smem", 3, []bench.Case{{Bench: b, Size: size}})
						var wrong *bench.DataError
						if !errors.As(err, &wrong) || wrong.Rank != victim {
							t.Errorf("got %v, want wrong data on rank %d", err, victim)
						}
						if len(found.Points) != 0 {
							t.Errorf("%d points from wrong data", len(found.Points))
						}
					})
				}
			}
		}
	}
}
