package coll

import (
	"math"
	"testing"

	"gobench/comm/schedule"
	"gobench/comm/schedule/sim"
)

// price runs an algorithm through a model of cost, with 8-byte elements.
func price(t *testing.T, kind schedule.Kind, name string, p, bytes int, m sim.Model) sim.Cost {
	t.Helper()
	c, err := ParseChoice(kind, name)
	if err != nil {
		t.Fatal(err)
	}
	hosts := m.Hosts
	if hosts == nil {
		hosts = spread(p, func(rank int) int { return 2 * rank / p })
	}
	programs := make([]*schedule.Program, p)
	for me := range programs {
		s := schedule.Shape{Kind: kind, Ranks: p, Rank: me, Bytes: bytes, Elem: 8, Commutative: true, Hosts: hosts}
		if why := c.fits(&s); why != "" {
			t.Fatalf("%v of %d ranks: %s", c, p, why)
		}
		programs[me] = schedule.Build(s, func(b *schedule.Builder) { c.Build(b, c.Number) })
	}
	cost, err := m.Cost(programs)
	if err != nil {
		t.Fatalf("%v %v, %d ranks: %v", kind, c, p, err)
	}
	return cost
}

// formula is the cost of an algorithm for p ranks and n bytes: the vector, or all
// blocks. log is ceil(log2 p), part is (p-1)/p n.
type formula func(p, n, log, part float64) (alpha, beta, gamma float64)

// TestCosts holds algorithms against the formulas of the literature: Chan et al. 2007 for
// those of F-MPJ, Thakur, Rabenseifner, Gropp 2005 for the others.
func TestCosts(t *testing.T) {
	tree := func(p, n, log, part float64) (float64, float64, float64) { return log, log * n, 0 }
	reduceTree := func(p, n, log, part float64) (float64, float64, float64) { return log, log * n, log * n }
	scatterTree := func(p, n, log, part float64) (float64, float64, float64) { return log, part, 0 }
	line := func(p, n, log, part float64) (float64, float64, float64) { return p - 1, part, 0 }
	rounds := func(p, n, log, part float64) (float64, float64, float64) { return log, 0, 0 }
	twice := func(p, n, log, part float64) (float64, float64, float64) { return 2 * log, 0, 0 }
	for _, c := range []struct {
		kind   schedule.Kind
		name   string
		powers bool // for powers of two only
		cost   formula
	}{
		{schedule.Barrier, "dissemination", false, rounds},
		{schedule.Barrier, "mst", false, twice},
		{schedule.Barrier, "recursive-doubling", true, rounds},
		{schedule.Barrier, "flat", false, func(p, n, log, part float64) (float64, float64, float64) { return 2 * (p - 1), 0, 0 }},

		{schedule.Bcast, "flat", false, func(p, n, log, part float64) (float64, float64, float64) { return p - 1, (p - 1) * n, 0 }},
		{schedule.Bcast, "flat-nb", false, func(p, n, log, part float64) (float64, float64, float64) { return p - 1, (p - 1) * n, 0 }},
		{schedule.Bcast, "mst", false, tree},
		{schedule.Bcast, "binomial", false, tree},
		{schedule.Bcast, "scatter-ring", true, func(p, n, log, part float64) (float64, float64, float64) { return log + p - 1, 2 * part, 0 }},
		{schedule.Bcast, "scatter-recursive-doubling", true, func(p, n, log, part float64) (float64, float64, float64) { return 2 * log, 2 * part, 0 }},

		{schedule.Scatter, "flat", false, line},
		{schedule.Scatter, "flat-nb", false, line},
		{schedule.Scatter, "mst", true, scatterTree},
		{schedule.Scatter, "binomial", false, scatterTree},
		{schedule.Gather, "flat", false, line},
		{schedule.Gather, "flat-nb", false, line},
		{schedule.Gather, "flat-nb1", false, line},
		{schedule.Gather, "mst", true, scatterTree},
		{schedule.Gather, "binomial", true, scatterTree},

		{schedule.Allgather, "ring", false, line},
		{schedule.Allgather, "recursive-doubling", true, scatterTree},
		{schedule.Allgather, "bruck", false, scatterTree},
		{schedule.Allgather, "ring-double", false, func(p, n, log, part float64) (float64, float64, float64) { return p - 1, part, 0 }},
		{schedule.Allgather, "mst", true, func(p, n, log, part float64) (float64, float64, float64) { return 2 * log, part + log*n, 0 }},
		{schedule.Allgather, "neighbor", true, func(p, n, log, part float64) (float64, float64, float64) { return p / 2, part, 0 }},
		{schedule.Alltoall, "pairwise", false, line},
		{schedule.Alltoall, "flat-nb", false, line},
		{schedule.Alltoall, "linear:2", false, line},
		{schedule.Alltoall, "bruck", true, func(p, n, log, part float64) (float64, float64, float64) { return log, log * n / 2, 0 }},

		{schedule.Reduce, "flat", false, func(p, n, log, part float64) (float64, float64, float64) { return p - 1, (p - 1) * n, (p - 1) * n }},
		{schedule.Reduce, "mst", true, reduceTree},
		{schedule.Reduce, "binomial", true, reduceTree},
		{schedule.Reduce, "ring-gather", true, func(p, n, log, part float64) (float64, float64, float64) { return p - 1 + log, 2 * part, part }},
		{schedule.Reduce, "rabenseifner", true, func(p, n, log, part float64) (float64, float64, float64) { return 2 * log, 2 * part, part }},
		{schedule.ReduceScatter, "mst", true, func(p, n, log, part float64) (float64, float64, float64) { return 2 * log, log*n + part, log * n }},
		{schedule.ReduceScatter, "ring", false, func(p, n, log, part float64) (float64, float64, float64) { return p - 1, part, part }},
		{schedule.ReduceScatter, "pairwise", false, func(p, n, log, part float64) (float64, float64, float64) { return p - 1, part, part }},
		{schedule.ReduceScatter, "recursive-halving", true, func(p, n, log, part float64) (float64, float64, float64) { return log, part, part }},
		{schedule.Allreduce, "mst", true, func(p, n, log, part float64) (float64, float64, float64) { return 2 * log, 2 * log * n, log * n }},
		{schedule.Allreduce, "recursive-doubling", true, reduceTree},
		{schedule.Allreduce, "ring", false, func(p, n, log, part float64) (float64, float64, float64) { return 2 * (p - 1), 2 * part, part }},
		{schedule.Allreduce, "rabenseifner", true, func(p, n, log, part float64) (float64, float64, float64) { return 2 * log, 2 * part, part }},
		{schedule.Scan, "linear", false, func(p, n, log, part float64) (float64, float64, float64) { return p - 1, (p - 1) * n, (p - 1) * n }},
		{schedule.Scan, "recursive-doubling", true, func(p, n, log, part float64) (float64, float64, float64) { return log, log * n, -1 }},
	} {
		for _, p := range []int{1, 2, 4, 8, 16, 32, 3, 5, 6, 7, 12, 17} {
			if c.powers && !isPower(p) || c.name == "neighbor" && p == 1 {
				continue
			}
			bytes := 8 * p
			n := float64(bytes)
			if c.kind.Blocked() {
				n *= float64(p)
			}
			if c.kind == schedule.Barrier {
				bytes, n = 0, 0
			}
			log := math.Ceil(math.Log2(float64(p)))
			alpha, beta, gamma := c.cost(float64(p), n, log, n*float64(p-1)/float64(p))
			check := func(what string, m sim.Model, want float64) {
				t.Helper()
				if got := price(t, c.kind, c.name, p, bytes, m).Time; math.Abs(got-want) > 1e-6 {
					t.Errorf("%v %s, %d ranks: %v %s, the formula says %v", c.kind, c.name, p, got, what, want)
				}
			}
			check("rounds", sim.Model{Alpha: 1}, alpha)
			check("bytes one after the other", sim.Model{Beta: 1}, beta)
			if gamma >= 0 {
				check("bytes combined one after the other", sim.Model{Gamma: 1}, gamma)
			}
		}
	}
}

// TestNothingIsCopied: messages come from and go to the caller's buffers where blocks
// lie side by side in the order in which they travel.
func TestNothingIsCopied(t *testing.T) {
	const bytes = 64
	for _, a := range Of(schedule.Bcast) {
		if a.Build == nil || a.Name == "multi-leader" { // which scatters parts through a tree
			continue
		}
		if got := price(t, a.Kind, a.Name, 8, bytes, sim.Model{}).Copied; got != 0 {
			t.Errorf("bcast %s copies %d bytes", a.Name, got)
		}
	}
	for _, c := range []struct {
		kind   schedule.Kind
		name   string
		copied int // own blocks
	}{
		{schedule.Scatter, "flat-nb", bytes},
		{schedule.Scatter, "binomial", 4 * bytes}, // of the ranks that have a subtree
		{schedule.Gather, "flat-nb", bytes},
		{schedule.Gather, "binomial", 4 * bytes},
		{schedule.Allgather, "ring", 8 * bytes},
		{schedule.Alltoall, "pairwise", 8 * bytes},
		{schedule.ReduceScatter, "ring", 0},
		{schedule.ReduceScatter, "ring-nb", 0},
		{schedule.ReduceScatter, "pairwise", 0},
		{schedule.Allreduce, "recursive-doubling", 0},
		{schedule.Allreduce, "ring", 0},
		{schedule.Reduce, "binomial", 0},
	} {
		if got := price(t, c.kind, c.name, 8, bytes, sim.Model{}).Copied; got != c.copied {
			t.Errorf("%v %s copies %d bytes, %d are enough", c.kind, c.name, got, c.copied)
		}
	}
}
