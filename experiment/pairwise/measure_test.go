package pairwise

import (
	"math"
	"testing"

	"gobench/launch/host"
)

func TestCoreNearTheNIC(t *testing.T) {
	number := func(n int64) *int64 { return &n }
	f := host.Facts{
		NUMA: []host.Node{{ID: 0, Cores: "0-3"}, {ID: 1, Cores: "4-7"}},
		NICs: []host.NIC{{Name: "eth0", Node: number(0), Rate: number(1e9)}, {Name: "ib0", Node: number(1), Rate: number(2e11)}, {Name: "lo"}},
	}
	for _, c := range []struct {
		allowed []int
		want    int
	}{{[]int{0, 1, 4, 5, 6}, 6}, {[]int{0, 1}, -1}} {
		if got := coreNear(f, c.allowed); got != c.want {
			t.Errorf("cores %v: %d, want %d", c.allowed, got, c.want)
		}
	}
	if got := coreNear(host.Facts{NUMA: f.NUMA, NICs: f.NICs[2:]}, []int{0, 4}); got != -1 {
		t.Errorf("without a NIC with a node: %d", got)
	}
}

// The first bursts, which buffers take, are short and do not count.
func TestUsualRate(t *testing.T) {
	if got := usualRate([]burst{{1e10, 1}, {1e9, 4}, {1.1e9, 16}, {0.9e9, 16}}); got != 1e9 {
		t.Errorf("%v, want 1e9", got)
	}
	if got := usualRate(nil); got != 0 {
		t.Errorf("no burst: %v", got)
	}
}

func TestSummary(t *testing.T) {
	s := summary([]float64{3, 1, 2, 10})
	if s.Median != 2.5 || s.Min != 1 || s.Max != 10 || s.N != 4 || math.Abs(s.Mean-4) > 1e-9 {
		t.Errorf("%+v", s)
	}
}
