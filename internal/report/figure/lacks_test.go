package figure_test

import (
	"strings"
	"testing"

	"gobench/internal/report/cell"
	"gobench/internal/report/figure"
	"gobench/internal/report/figure/figuretest"
)

// Every kind that draws nothing has a reason. That of productivity names the missing prices or the
// missing node.
func TestLacks(t *testing.T) {
	for _, k := range figure.Kinds {
		if reason := figure.Lacks(cell.NewSet(), k.Name); !strings.HasPrefix(reason, "it needs ") {
			t.Errorf("%s of an empty set: %q", k.Name, reason)
		}
	}
	s := priced(figuretest.Kernels())
	s.Cost.Cluster.Nodes[0].Hosts = "other-*"
	if f := figure.Productivity(s); len(f) > 0 {
		t.Fatalf("%d figures for a host without a price", len(f))
	}
	if reason := figure.Lacks(s, "productivity"); !strings.HasPrefix(reason, "the cluster two has no node called ") {
		t.Errorf("unknown host: %q", reason)
	}
	s.Cost = nil
	if reason := figure.Lacks(s, "productivity"); reason != "it needs prices and cluster" {
		t.Errorf("no prices: %q", reason)
	}
}
