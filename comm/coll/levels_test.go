package coll

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gobench/comm/schedule"
	"gobench/comm/schedule/sim"
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

// slot puts the ranks on hosts.
func (x *oracleCase) slot(hosts []int) {
	for i := range x.shapes {
		x.shapes[i].Hosts = hosts
	}
	x.name += fmt.Sprintf(" hosts %v", hosts)
}

// clusters lists numbers of hosts and of the ranks on each.
var clusters = [][2]int{{2, 2}, {2, 4}, {4, 4}, {3, 5}, {8, 8}, {4, 16}}

// wire is the model from which the defaults for several hosts were chosen, in microseconds: 10
// Gbit/s and a latency of 15 between hosts, with 1 of the port of a host for each message; memory
// inside.
func wire(hosts []int) sim.Model {
	m := sim.Model{Alpha: 15, Beta: 0.8e-3, Gamma: 0.1e-3, Gap: 1, Hosts: hosts}
	m.Inside.Alpha, m.Inside.Beta = 0.5, 0.1e-3
	return m
}

// TestDefaultsForSeveralHosts compares the default algorithms on several hosts with those that are
// used where hosts are not known: they are faster in the geometric mean of each operation, and
// never much slower.
func TestDefaultsForSeveralHosts(t *testing.T) {
	for kind := range schedule.Kind(schedule.Kinds) {
		if !slices.ContainsFunc(Of(kind), func(a Algorithm) bool { return a.Hosts }) {
			continue
		}
		sum, n, worst, where := 0.0, 0, 0.0, ""
		list := clusters
		if testing.Short() {
			list = clusters[:4]
		}
		for _, c := range list {
			p := c[0] * c[1]
			for name, hosts := range map[string][]int{
				"consecutive": spread(p, func(rank int) int { return rank / c[1] }),
				"in turn":     spread(p, func(rank int) int { return rank % c[0] }),
			} {
				for _, bytes := range []int{8, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 1 << 20} {
					if kind == schedule.Barrier && bytes > 8 || kind == schedule.Alltoall && bytes > 256 {
						continue // the same as for larger ones, or as on one host
					}
					s := schedule.Shape{Kind: kind, Ranks: p, Bytes: bytes, Elem: 8, Commutative: true}
					if kind == schedule.Barrier {
						s.Bytes = 0
					}
					flat := Defaults().Choose("tcp", &s, false)
					s.Hosts = hosts
					levels := Defaults().Choose("tcp", &s, false)
					ratio := price(t, kind, levels.String(), p, s.Bytes, wire(hosts)).Time / price(t, kind, flat.String(), p, s.Bytes, wire(hosts)).Time
					sum, n = sum+math.Log(ratio), n+1
					if ratio > worst {
						worst, where = ratio, fmt.Sprintf("%d hosts with %d ranks %s, %d bytes, %v and not %v", c[0], c[1], name, bytes, levels, flat)
					}
				}
			}
		}
		mean := math.Exp(sum / float64(n))
		t.Logf("%v: %.2f of the time, at most %.2f (%s)", kind, mean, worst, where)
		if mean >= 1 || worst > 1.5 {
			t.Errorf("%v takes %.2f of the time, at most %.2f (%s)", kind, mean, worst, where)
		}
	}
}
