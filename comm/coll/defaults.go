package coll

import (
	"fmt"

	"gobench/comm/schedule"
)

// Defaults is the table that holds where no file of rules was loaded. It was
// measured with four ranks on four cores of one machine (docs/collectives.md says
// how); gobench tune measures another.
func Defaults() *Table {
	t := &Table{Origin: "defaults"}
	for _, d := range defaults {
		choice, err := ParseChoice(d.kind, d.choice)
		if err != nil {
			panic(fmt.Sprintf("coll: the default of %v: %v", d.kind, err)) // a test reads them all
		}
		t.Rules = append(t.Rules, Rule{Transport: d.transport, Kind: d.kind, Ranks: d.ranks, Bytes: d.bytes, Choice: choice})
	}
	return t
}

// defaults are rules in the order in which they are looked at. Algorithms in shared memory
// are passed over where there is none.
var defaults = []struct {
	transport string
	kind      schedule.Kind
	ranks     int
	bytes     int
	choice    string
}{
	{"", schedule.Barrier, 0, 0, "shm-flags"},
	{"", schedule.Barrier, 0, 0, "dissemination"},

	{"", schedule.Bcast, 0, 0, "shm-copy"},
	{"", schedule.Bcast, 4, 8 << 10, "flat-nb"},
	{"", schedule.Bcast, 0, 64 << 10, "binomial"},
	{"", schedule.Bcast, 0, 0, "chain:131072"},

	{"", schedule.Scatter, 0, 0, "shm-copy"},
	{"", schedule.Scatter, 16, 0, "flat-nb"},
	{"", schedule.Scatter, 0, 4 << 10, "binomial"},
	{"", schedule.Scatter, 0, 0, "flat-nb"},

	{"", schedule.Gather, 0, 0, "shm-copy"},
	{"", schedule.Gather, 16, 0, "flat-nb"},
	{"", schedule.Gather, 0, 4 << 10, "binomial"},
	{"", schedule.Gather, 0, 0, "flat-nb"},

	{"", schedule.Allgather, 0, 0, "shm-copy"},
	{"", schedule.Allgather, 8, 8 << 10, "flat-nb"},
	{"", schedule.Allgather, 0, 8 << 10, "bruck"},
	{"", schedule.Allgather, 0, 0, "ring"},

	{"", schedule.Alltoall, 0, 0, "shm-copy"},
	{"", schedule.Alltoall, 8, 64 << 10, "flat-nb"},
	{"", schedule.Alltoall, 0, 256, "bruck"},
	{"", schedule.Alltoall, 0, 0, "pairwise"},

	{"", schedule.Reduce, 0, 2 << 10, "shm-root"},
	{"", schedule.Reduce, 0, 0, "shm-slices"},
	{"", schedule.Reduce, 0, 64 << 10, "binomial"},
	{"", schedule.Reduce, 0, 0, "rabenseifner"},

	{"", schedule.Allreduce, 0, 1 << 10, "shm-all"},
	{"", schedule.Allreduce, 0, 0, "shm-slices"},
	{"", schedule.Allreduce, 0, 16 << 10, "bde"},
	{"", schedule.Allreduce, 0, 0, "rabenseifner"},

	{"", schedule.ReduceScatter, 0, 0, "shm-slices"},
	{"", schedule.ReduceScatter, 0, 64 << 10, "bde"},
	{"", schedule.ReduceScatter, 0, 0, "pairwise"},

	{"", schedule.Scan, 0, 0, "shm-copy"},
	{"", schedule.Exscan, 0, 0, "shm-copy"},
}
