package coll

import (
	"fmt"
	"math/rand/v2"
)

// distributions returns hosts of p ranks: consecutive ranks, dealt out in turn, uneven, a host for
// each rank, and at random. An algorithm
// that does not need several hosts is tried on one.
func distributions(c Choice, p int, few bool) [][]int {
	if !c.Hosts {
		return [][]int{nil}
	}
	if p == 1 {
		return nil
	}
	random := rand.New(rand.NewPCG(uint64(p), 3))
	list := [][]int{
		spread(p, func(rank int) int { return rank * 4 / p }),
		spread(p, func(int) int { return random.IntN(3) }),
	}
	if !few {
		list = append(list,
			spread(p, func(rank int) int { return rank % 3 }),
			spread(p, func(rank int) int { return min(1, rank/(p-1)) }), // the last is alone
			spread(p, func(rank int) int { return rank }))
	}
	return list
}

// spread numbers hosts in the order of their lowest ranks, as Shape.Hosts asks for.
func spread(p int, host func(rank int) int) []int {
	numbers := map[int]int{}
	hosts := make([]int, p)
	for rank := range hosts {
		h := host(rank)
		if _, found := numbers[h]; !found {
			numbers[h] = len(numbers)
		}
		hosts[rank] = numbers[h]
	}
	return hosts
}

// place puts the ranks on hosts.
func (x *oracleCase) place(hosts []int) {
	for i := range x.shapes {
		x.shapes[i].Hosts = hosts
	}
	x.name += fmt.Sprintf(" hosts %v", hosts)
}
