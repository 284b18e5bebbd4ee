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

// A Form is an operation in one of its forms: "alltoallv", "ibcast".
type Form struct {
	Kind        schedule.Kind
	Uneven      bool // the vector form
	NonBlocking bool
}

// Benchmark returns the benchmark of the form, with even blocks of a vector form.
func (f Form) Benchmark() bench.Benchmark {
	o := Options{Overlap: f.NonBlocking}
	if f.Uneven {
		o.Distribution, _ = ParseDistribution(Even, 0)
	}
	return New(f.Kind, o)
}

// Lookup finds a form of an operation by name, ignoring case, with - for _, with the prefixes of
// MPI and OSU, and as nccl-tests spells it.
func Lookup(name string) (f Form, found bool) {
	name = strings.ReplaceAll(strings.ToLower(name), "-", "_")
	for _, prefix := range []string{"mpi_", "osu_"} {
		name = strings.TrimPrefix(name, prefix)
	}
	name = strings.Replace(name, "all_", "all", 1)
	if stem, nccl := strings.CutSuffix(name, "_perf"); nccl {
		name = strings.Replace(stem, "broadcast", "bcast", 1)
	}
	if f.Kind, found = schedule.ParseKind(name); found {
		return f, true
	}
	name, f.NonBlocking = strings.CutPrefix(name, "i")
	name, f.Uneven = strings.CutSuffix(name, "v")
	f.Kind, found = schedule.ParseKind(name)
	return f, found && (!f.Uneven || CheckVector(f.Kind) == nil)
}

// CanInPlace returns an error for an operation without an in-place form.
func CanInPlace(kind schedule.Kind) error {
	if kind == schedule.Barrier || kind == schedule.Bcast {
		return fmt.Errorf("%v has no in-place form", kind)
	}
	return nil
}
