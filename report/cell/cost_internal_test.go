package cell

import (
	"testing"

	"gobench/bench/price"
	"gobench/bench/record"
)

// The price includes the cores of all threads.
func TestThreadsArePaidFor(t *testing.T) {
	cost := Cost{
		Book:    &price.Book{Name: "b", Prices: []price.Price{{Type: "n", Option: "spot", PerHour: 2}}},
		Cluster: &price.Cluster{Name: "c", Nodes: []price.Node{{Type: "n", Cores: 4, Count: 9}}},
	}
	for _, c := range []struct {
		ranks, threads int
		want           float64
	}{{4, 0, 2}, {4, 1, 2}, {5, 1, 4}, {4, 4, 8}} {
		p := Point{Point: &record.Point{Ranks: c.ranks, Threads: c.threads}}
		if got, err := cost.PerHour(p, "spot"); err != nil || got != c.want {
			t.Errorf("%d ranks of %d threads cost %v an hour, want %v (%v)", c.ranks, c.threads, got, c.want, err)
		}
	}
}
