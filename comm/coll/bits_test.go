package coll

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"gobench/comm/op"
	"gobench/comm/schedule"
	"gobench/comm/schedule/sim"
)

// Adding floating-point numbers in another order gives other bits. Whatever order an
// allreduce takes, all ranks must take the same, or programs that branch on the result
// part ways. The operator here claims to commute, as a sum does, but shows every change of
// order and grouping where a sum shows few.
func TestAllreduceGivesAllRanksTheSameBits(t *testing.T) {
	o := op.New("3x+y", true, func(x, y uint64) uint64 { return 3*x + y })
	for _, c := range withExtremeParameters(Choices(schedule.Allreduce)) {
		if c.Build == nil {
			continue
		}
		for _, p := range []int{2, 3, 4, 5, 6, 7, 8, 12, 13, 16, 17} {
			for _, inPlace := range []bool{false, true} {
				results, err := allreduceNoise(c, p, 29, inPlace, o)
				if err != nil {
					t.Fatalf("%v, %d ranks: %v", c, p, err)
				}
				for me, got := range results {
					if !bytes.Equal(got, results[0]) {
						t.Errorf("%v, %d ranks, in place %t: rank %d has other bits than rank 0", c, p, inPlace, me)
					}
				}
			}
		}
	}
}

// allreduceNoise returns the results of all ranks.
func allreduceNoise(c Choice, p, elements int, inPlace bool, o *op.Op) ([][]byte, error) {
	random := rand.New(rand.NewPCG(uint64(p), 3))
	programs := make([]*schedule.Program, p)
	send, recv := make([][]byte, p), make([][]byte, p)
	for me := range p {
		vector := noise(random, 8*elements)
		s := schedule.Shape{Kind: schedule.Allreduce, Ranks: p, Rank: me, Bytes: len(vector), Elem: 8, Commutative: true, InPlace: inPlace}
		s.Hosts = spread(p, func(rank int) int { return rank % 2 })
		if why := c.fits(&s); why != "" {
			return nil, fmt.Errorf("does not fit: %s", why)
		}
		programs[me] = schedule.Build(s, func(b *schedule.Builder) { c.Build(b, c.Number) })
		if send[me], recv[me] = vector, make([]byte, len(vector)); inPlace {
			send[me], recv[me] = nil, vector
		}
	}
	given := func(me int) schedule.Mem {
		if !inPlace {
			return schedule.Mem{}
		}
		return schedule.Mem{Buffer: schedule.RecvBuffer, Len: len(recv[me])}
	}
	return recv, sim.Run(programs, send, recv, given, sim.Options{Seed: uint64(p), Op: o})
}
