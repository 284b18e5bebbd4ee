package coll

import (
	"testing"

	"gobench/comm/schedule"
	"gobench/comm/schedule/sim"
)

// TestVolumes counts the messages of all ranks and their bytes, which the critical
// path of TestCosts does not show. n is the vector, or one block.
func TestVolumes(t *testing.T) {
	pairs := func(p, n int) (int, int) { return p * (p - 1), p * (p - 1) * n }
	vectors := func(p, n int) (int, int) { return 2 * (p - 1), 2 * (p - 1) * n }
	triangle := func(p, n int) (int, int) { return p * (p - 1) / 2, p * (p - 1) / 2 * n }
	parts := func(p, n int) (int, int) { return 2 * p * (p - 1), 2 * (p - 1) * n }
	for _, c := range []struct {
		kind   schedule.Kind
		name   string
		volume func(p, n int) (messages, bytes int)
	}{
		{schedule.Allgather, "ring", pairs},
		{schedule.Allgather, "ring-double", pairs},
		{schedule.Allgather, "flat-nb", pairs},
		{schedule.Allgather, "bruck", func(p, n int) (int, int) { return p * rounds(p), p * (p - 1) * n }},
		{schedule.Alltoall, "flat", pairs},
		{schedule.Alltoall, "flat-nb", pairs},
		{schedule.Alltoall, "flat-nb1", pairs},
		{schedule.Alltoall, "flat-nb2", pairs},
		{schedule.Alltoall, "pairwise", pairs},
		{schedule.Alltoall, "linear:2", pairs},
		{schedule.Reduce, "flat-nb", func(p, n int) (int, int) { return p - 1, (p - 1) * n }},
		{schedule.Reduce, "knomial:3", func(p, n int) (int, int) { return p - 1, (p - 1) * n }},
		{schedule.Reduce, "chain:1M", func(p, n int) (int, int) { return p - 1, (p - 1) * n }},
		{schedule.ReduceScatter, "ring", pairs},
		{schedule.ReduceScatter, "ring-nb", pairs},
		{schedule.ReduceScatter, "pairwise", pairs},
		{schedule.ReduceScatter, "flat", func(p, n int) (int, int) { return 2 * (p - 1), (p - 1) * (p + 1) * n }},
		{schedule.ReduceScatter, "binomial", func(p, n int) (int, int) { return 2 * (p - 1), (p - 1) * (p + 1) * n }},
		{schedule.Allreduce, "flat-nb", pairs},
		{schedule.Allreduce, "mst", vectors},
		{schedule.Allreduce, "binomial", vectors},
		{schedule.Allreduce, "ring", parts},
		{schedule.Allreduce, "ring-segmented:1M", parts},
		{schedule.Scan, "flat", triangle},
		{schedule.Scan, "flat-nb", triangle},
		{schedule.Scan, "linear", func(p, n int) (int, int) { return p - 1, (p - 1) * n }},
		{schedule.Exscan, "flat", triangle},
		{schedule.Exscan, "linear", func(p, n int) (int, int) { return p - 1, (p - 1) * n }},
	} {
		for _, p := range []int{1, 2, 3, 4, 5, 8, 13, 16, 33} {
			n := 8 * p // so that all parts of a vector are equal
			got := price(t, c.kind, c.name, p, n, sim.Model{})
			if messages, bytes := c.volume(p, n); got.Messages != messages || got.Bytes != bytes {
				t.Errorf("%v %s, %d ranks: %d messages of %d bytes, want %d of %d",
					c.kind, c.name, p, got.Messages, got.Bytes, messages, bytes)
			}
		}
	}
}

// rounds is ceil(log2 p).
func rounds(p int) int {
	n := 0
	for 1<<n < p {
		n++
	}
	return n
}

// TestSegmentsOverlap: with segments a message is on its way while the one before it is
// combined, so the ring takes less than the sum of both.
func TestSegmentsOverlap(t *testing.T) {
	const p, n = 4, 1 << 16
	m := sim.Model{Beta: 1, Gamma: 1}
	whole := price(t, schedule.Allreduce, "ring", p, n, m).Time
	cut := price(t, schedule.Allreduce, "ring-segmented:1K", p, n, m).Time
	smallest := price(t, schedule.Allreduce, "ring", p, n, sim.Model{Beta: 1}).Time
	if cut >= whole*0.85 || cut < smallest {
		t.Errorf("the ring costs %v, with segments %v, transfers alone %v", whole, cut, smallest)
	}
}
