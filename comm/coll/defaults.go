package coll

import (
	"fmt"

	"gobench/comm/schedule"
)

// Defaults returns the table that is used without a tuning file. For one host it was measured with
// four ranks on four cores of one machine (docs/collectives.md), and for several it was simulated;
// gobench tune measures a table for another machine.
func Defaults() *Table { return defaultTable }

// The tables are set once, before main, because two-level algorithms use them and are also listed
// in them. partTable is Defaults for the parts of a two-level operation: its first rules avoid flat
// trees, which are the fastest only without a network between the ranks.
var defaultTable, partTable *Table

func init() {
	fillCatalogue()
	defaultTable, partTable = table("defaults", defaults), table("parts", parts)
}

// table makes a table of rules whose choices are known.
func table(origin string, rules []rule) *Table {
	t := &Table{Origin: origin}
	for _, d := range rules {
		choice, err := ParseChoice(d.kind, d.choice)
		if err != nil {
			panic(fmt.Sprintf("coll: the default of %v: %v", d.kind, err)) // a test reads them all
		}
		t.Rules = append(t.Rules, Rule{Transport: d.transport, Kind: d.kind, Ranks: d.ranks, Bytes: d.bytes, Choice: choice})
	}
	return t
}

// rule is a Rule as it is written below.
type rule struct {
	transport string
	kind      schedule.Kind
	ranks     int
	bytes     int
	choice    string
}

var parts = []rule{
	{"", schedule.Scatter, 0, 64 << 10, "binomial"},
	{"", schedule.Gather, 0, 64 << 10, "binomial"},
	{"", schedule.Reduce, 0, 256 << 10, "binomial"},
}

// defaults lists the rules in the order in which they are tried. Algorithms in shared memory are
// skipped if the ranks share none, and two-level ones if all ranks are on one host. Two ranks use
// shared memory for everything, which is fastest with near and with far cores (docs/notes/smem.md).
// The sizes of the two-level algorithms are from simulation: TestDefaultsForSeveralHosts has its
// model.
var defaults = []rule{
	{"smem", schedule.Barrier, 0, 0, "smem-flags"},
	{"", schedule.Barrier, 0, 0, "two-level"},
	{"", schedule.Barrier, 0, 0, "recursive-doubling"},

	{"smem", schedule.Bcast, 0, 0, "smem-copy"},
	{"", schedule.Bcast, 0, 0, "two-level"},
	{"", schedule.Bcast, 0, 64 << 10, "binomial"},
	{"", schedule.Bcast, 0, 0, "mst"},

	{"smem", schedule.Scatter, 2, 0, "smem-copy"},
	{"smem", schedule.Scatter, 0, 2 << 10, "smem-copy"},
	{"smem", schedule.Scatter, 0, 0, "flat-nb"},
	{"", schedule.Scatter, 0, 0, "two-level"},
	{"", schedule.Scatter, 0, 4 << 10, "binomial"},
	{"", schedule.Scatter, 0, 256 << 10, "flat"},
	{"tcp", schedule.Scatter, 2, 0, "flat-nb"},
	{"", schedule.Scatter, 0, 0, "mst"},

	{"smem", schedule.Gather, 2, 0, "smem-copy"},
	{"smem", schedule.Gather, 0, 16 << 10, "smem-copy"},
	{"", schedule.Gather, 0, 0, "two-level"},
	{"", schedule.Gather, 16, 0, "flat-nb"},
	{"", schedule.Gather, 0, 4 << 10, "binomial"},
	{"", schedule.Gather, 0, 0, "flat-nb"},

	{"smem", schedule.Allgather, 0, 0, "smem-copy"},
	{"", schedule.Allgather, 0, 0, "two-level"},
	{"", schedule.Allgather, 0, 128 << 10, "recursive-doubling"},
	{"tcp", schedule.Allgather, 2, 0, "recursive-doubling"},
	{"", schedule.Allgather, 0, 4 << 10, "bruck"},
	{"", schedule.Allgather, 0, 128 << 10, "neighbor"},
	{"", schedule.Allgather, 0, 0, "ring-double"},

	{"smem", schedule.Alltoall, 2, 0, "smem-copy"},
	{"smem", schedule.Alltoall, 0, 4 << 10, "smem-copy"},
	{"smem", schedule.Alltoall, 0, 0, "flat-nb"},
	{"", schedule.Alltoall, 0, 256, "two-level"},
	{"", schedule.Alltoall, 0, 2 << 10, "bruck"},
	{"", schedule.Alltoall, 0, 256 << 10, "flat-nb1"},
	{"", schedule.Alltoall, 0, 0, "linear:2"},

	{"smem", schedule.Reduce, 8, 0, "smem-root"},
	{"smem", schedule.Reduce, 0, 64 << 10, "smem-root"},
	{"smem", schedule.Reduce, 0, 0, "smem-slices"},
	{"", schedule.Reduce, 0, 64 << 10, "two-level"},
	{"", schedule.Reduce, 0, 0, "multi-leader:16"},
	{"", schedule.Reduce, 8, 4 << 10, "flat-nb"},
	{"tcp", schedule.Reduce, 2, 0, "binomial"},
	{"", schedule.Reduce, 0, 256 << 10, "binomial"},
	{"", schedule.Reduce, 0, 0, "rabenseifner"},

	{"smem", schedule.Allreduce, 2, 0, "smem-all"},
	{"smem", schedule.Allreduce, 0, 2 << 10, "smem-all"},
	{"smem", schedule.Allreduce, 0, 0, "smem-slices"},
	{"", schedule.Allreduce, 0, 64 << 10, "two-level"},
	{"", schedule.Allreduce, 0, 0, "multi-leader:16"},
	{"", schedule.Allreduce, 0, 8 << 10, "recursive-doubling"},
	{"tcp", schedule.Allreduce, 2, 128 << 10, "rabenseifner"},
	{"tcp", schedule.Allreduce, 2, 0, "recursive-doubling"},
	{"", schedule.Allreduce, 0, 0, "rabenseifner"},

	{"smem", schedule.ReduceScatter, 0, 0, "smem-slices"},
	{"", schedule.ReduceScatter, 0, 0, "recursive-halving"},

	{"smem", schedule.Scan, 0, 0, "smem-copy"},
	{"smem", schedule.Exscan, 2, 32 << 10, "smem-copy"},
	{"", schedule.Exscan, 2, 0, "linear"}, // one message
	{"smem", schedule.Exscan, 0, 0, "smem-copy"},
}
