package coll

import (
	"fmt"
	"math/rand/v2"

	"gobench/comm/schedule"
)

// newNeighborCase makes a case for a random graph, in which ranks are their own neighbours, and
// neighbours several times, too. Bit 1 of variant is unequal blocks with gaps, bit 2 buffered
// sends; nothing is in place.
func newNeighborCase(kind schedule.Kind, p, n, variant int) *oracleCase {
	if variant&1 != 0 {
		return nil
	}
	x := &oracleCase{
		name:     fmt.Sprintf("%v ranks %d elements %d variant %d", kind, p, n, variant),
		buffered: variant&4 != 0, seed: uint64(p*1000 + n*10 + variant),
	}
	random := rand.New(rand.NewPCG(x.seed, 3))
	shapes := make([]schedule.Shape, p)
	lengths := make([][2][]int, p) // of the blocks sent and received
	for me := range p {
		shapes[me] = schedule.Shape{Kind: kind, Ranks: p, Rank: me, Bytes: n, Elem: 1}
	}
	for me := range p {
		all := random.IntN(n + 1)
		if kind == schedule.NeighborAllgather {
			lengths[me][0] = []int{all}
		}
		for range random.IntN(5) {
			to, length := random.IntN(p), all
			if kind == schedule.NeighborAlltoall {
				length = random.IntN(n + 1)
				lengths[me][0] = append(lengths[me][0], length)
			}
			shapes[me].Targets = append(shapes[me].Targets, to)
			shapes[to].Sources, lengths[to][1] = append(shapes[to].Sources, me), append(lengths[to][1], length)
		}
	}
	for me, s := range shapes {
		if variant&2 != 0 {
			s.Bytes = 0
			s.SendBlocks, s.RecvBlocks = apart(lengths[me][0]), apart(lengths[me][1])
		}
		x.add(s, random)
	}
	return x
}

// apart returns blocks with gaps between them.
func apart(lengths []int) []schedule.Block {
	blocks, off := []schedule.Block{}, 0
	for _, n := range lengths {
		blocks = append(blocks, schedule.Block{Off: off + 2, Len: n})
		off += 2 + n
	}
	return blocks
}
