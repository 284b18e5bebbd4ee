package coll

import (
	"fmt"

	"gobench/comm/schedule"
)

// Defaults returns the table that is used without a tuning file. It was measured with four ranks on
// four cores of one machine (docs/collectives.md); gobench tune measures a table for another
// machine.
func Defaults() *Table { return defaultTable }

// defaultTable is set once, before main. Algorithms of two levels use it, and are in it.
var defaultTable *Table

func init() {
	t := &Table{Origin: "defaults"}
	for _, d := range defaults {
		choice, err := ParseChoice(d.kind, d.choice)
		if err != nil {
			panic(fmt.Sprintf("coll: the default of %v: %v", d.kind, err)) // a test reads them all
		}
		t.Rules = append(t.Rules, Rule{Transport: d.transport, Kind: d.kind, Ranks: d.ranks, Bytes: d.bytes, Choice: choice})
	}
	defaultTable = t
}

// defaults lists the rules in the order in which they are tried. Algorithms in shared memory
// are skipped where the ranks share none.
var defaults = []struct {
	transport string
	kind      schedule.Kind
	ranks     int
	bytes     int
	choice    string
}{
	{"smem", schedule.Barrier, 0, 0, "smem-flags"},
	{"", schedule.Barrier, 0, 0, "recursive-doubling"},

	{"smem", schedule.Bcast, 0, 0, "smem-copy"},
	{"", schedule.Bcast, 0, 64 << 10, "binomial"},
	{"", schedule.Bcast, 0, 0, "mst"},

	{"smem", schedule.Scatter, 0, 2 << 10, "smem-copy"},
	{"smem", schedule.Scatter, 0, 0, "flat-nb"},
	{"", schedule.Scatter, 0, 4 << 10, "binomial"},
	{"", schedule.Scatter, 0, 256 << 10, "flat"},
	{"", schedule.Scatter, 0, 0, "mst"},

	{"smem", schedule.Gather, 0, 16 << 10, "smem-copy"},
	{"", schedule.Gather, 16, 0, "flat-nb"},
	{"", schedule.Gather, 0, 4 << 10, "binomial"},
	{"", schedule.Gather, 0, 0, "flat-nb"},

	{"smem", schedule.Allgather, 0, 0, "smem-copy"},
	{"", schedule.Allgather, 0, 128 << 10, "recursive-doubling"},
	{"", schedule.Allgather, 0, 4 << 10, "bruck"},
	{"", schedule.Allgather, 0, 128 << 10, "neighbor"},
	{"", schedule.Allgather, 0, 0, "ring-double"},

	{"smem", schedule.Alltoall, 0, 4 << 10, "smem-copy"},
	{"smem", schedule.Alltoall, 0, 0, "flat-nb"},
	{"", schedule.Alltoall, 0, 2 << 10, "bruck"},
	{"", schedule.Alltoall, 0, 256 << 10, "flat-nb1"},
	{"", schedule.Alltoall, 0, 0, "linear:2"},

	{"smem", schedule.Reduce, 8, 0, "smem-root"},
	{"smem", schedule.Reduce, 0, 64 << 10, "smem-root"},
	{"smem", schedule.Reduce, 0, 0, "smem-slices"},
	{"", schedule.Reduce, 8, 4 << 10, "flat-nb"},
	{"", schedule.Reduce, 0, 256 << 10, "binomial"},
	{"", schedule.Reduce, 0, 0, "rabenseifner"},

	{"smem", schedule.Allreduce, 0, 2 << 10, "smem-all"},
	{"smem", schedule.Allreduce, 0, 0, "smem-slices"},
	{"", schedule.Allreduce, 0, 8 << 10, "recursive-doubling"},
	{"", schedule.Allreduce, 0, 0, "rabenseifner"},

	{"smem", schedule.ReduceScatter, 0, 0, "smem-slices"},
	{"", schedule.ReduceScatter, 0, 0, "recursive-halving"},

	{"smem", schedule.Scan, 0, 0, "smem-copy"},
	{"smem", schedule.Exscan, 0, 0, "smem-copy"},
}
