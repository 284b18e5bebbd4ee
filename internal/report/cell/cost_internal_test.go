package cell

import (
	"testing"

	"gobench/internal/report/price"
	"gobench/record"
)

// The price includes the cores of all threads where the record does not state the hosts.
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

// The hosts that ran ranks are charged, however many cores of them the job used.
func TestHostsArePaidFor(t *testing.T) {
	cost := Cost{
		Book:    &price.Book{Name: "b", Prices: []price.Price{{Type: "n", Option: "spot", PerHour: 2, Date: "2012"}}},
		Cluster: &price.Cluster{Name: "c", Nodes: []price.Node{{Type: "n", Hosts: "h*", Cores: 4, Count: 9}}},
	}
	named := []any{map[string]any{"hostname": "h1"}, map[string]any{"hostname": "h2"}, map[string]any{"hostname": "h3"}, map[string]any{"hostname": "h4"}}
	for _, c := range []struct {
		on   []int
		want float64
	}{{[]int{0, 1, 2, 3}, 8}, {[]int{0, 0, 1, 1}, 4}, {[]int{0, 0, 0, 0, 0, 0}, 2}, {[]int{3, 3}, 2}, {nil, 4}} {
		run := &record.Run{Hosts: named, Job: record.Job{Ranks: 8, Hosts: c.on}}
		p := Point{Point: &record.Point{Ranks: 8}, Run: run}
		if got, err := cost.PerHour(p, "spot"); err != nil || got != c.want {
			t.Errorf("ranks on hosts %v cost %v an hour, want %v (%v)", c.on, got, c.want, err)
		}
	}
	if got := cost.Prices([]string{"spot", "reserved"}); got != "n spot 2 (2012)" {
		t.Error(got)
	}
}
