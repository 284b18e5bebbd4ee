package collective

import (
	"fmt"
	"strings"

	"gobench/bench"
	"gobench/comm/schedule"
)

// All returns the benchmarks of all operations.
func All() []bench.Benchmark {
	list := make([]bench.Benchmark, schedule.Kinds)
	for kind := range list {
		list[kind] = New(schedule.Kind(kind), Options{})
	}
	return list
}

// Lookup finds an operation by name, ignoring case, with - for _, with the prefixes of MPI and OSU,
// and as nccl-tests spells it. uneven reports that it is the name of a vector form: "allgatherv",
// or "alltoallw", which is alltoallv of bytes.
func Lookup(name string) (kind schedule.Kind, uneven, found bool) {
	name = strings.ReplaceAll(strings.ToLower(name), "-", "_")
	for _, prefix := range []string{"mpi_", "osu_"} {
		name = strings.TrimPrefix(name, prefix)
	}
	name = strings.Replace(name, "all_", "all", 1)
	if stem, nccl := strings.CutSuffix(name, "_perf"); nccl {
		name = strings.Replace(stem, "broadcast", "bcast", 1)
	}
	if kind, found = schedule.ParseKind(name); found {
		return kind, false, true
	}
	stem, uneven := strings.CutSuffix(strings.Replace(name, "alltoallw", "alltoallv", 1), "v")
	kind, found = schedule.ParseKind(stem)
	return kind, uneven, found && uneven && !kind.Reduces() && CheckVector(kind) == nil
}

// CanInPlace returns an error for an operation without an in-place form.
func CanInPlace(kind schedule.Kind) error {
	if kind == schedule.Barrier || kind == schedule.Bcast {
		return fmt.Errorf("%v has no in-place form", kind)
	}
	return nil
}
