package tune

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gobench/comm/coll"
	"gobench/comm/schedule"
	"gobench/internal/collect"
	"gobench/internal/micro/collective"
	"gobench/record"
)

// point returns the points of eight launches, whose times in microseconds vary by half to each
// side.
func point(bench, algorithm string, ranks int, size int64, t, half float64) []record.Point {
	var list []record.Point
	for i, by := range []float64{0, 1, -1, 0, 1, -1, 0, 0} {
		list = append(list, record.Point{Run: fmt.Sprint(i), Bench: bench, Transport: "smem", Algorithm: algorithm, Ranks: ranks, Size: size,
			Metrics: record.ValuesOf(map[string]record.Value{"global_s": {Median: (t + by*half) * 1e-6, N: 100}})})
	}
	return list
}

// short formats rules, one line each.
func short(points ...[]record.Point) []string {
	var list []string
	for _, r := range Rules(Choose(&record.File{Points: slices.Concat(points...)}), nil) {
		list = append(list, r.String())
	}
	return list
}

func TestTheFastestIsChosen(t *testing.T) {
	got := short(
		point("bcast", "smem-copy", 4, 8, 1, 0.01),
		point("bcast", "binomial", 4, 8, 2, 0.01),
		point("bcast", "smem-copy", 4, 4096, 5, 0.01),
		point("bcast", "binomial", 4, 4096, 4, 0.01),
		point("bcast", "knomial:8", 4, 65536, 30, 1),
		point("bcast", "smem-copy", 4, 65536, 40, 1),
		// The same for two ranks: one rule is enough.
		point("bcast", "smem-copy", 2, 8, 1, 0.01),
		point("bcast", "smem-copy", 2, 4096, 3, 0.01))
	want := []string{
		"bcast on smem, at most 2 ranks: smem-copy",
		"bcast on smem, at most 4 ranks, at most 181 bytes: smem-copy",
		"bcast on smem, at most 4 ranks, at most 16384 bytes: binomial",
		"bcast on smem, at most 4 ranks: knomial:8",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// A vector form has rules of its own, before those of equal blocks; that of alltoallv, whose ranks
// do not know the size of others, is for all sizes.
func TestVectorForms(t *testing.T) {
	got := short(
		point("alltoall", "smem-copy", 2, 8, 1, 0.01), point("alltoall", "pairwise", 2, 8, 2, 0.01),
		point("alltoallv", "flat-nb", 2, 8, 2, 0.01), point("alltoallv", "pairwise", 2, 8, 1, 0.01),
		point("alltoallv", "flat-nb", 2, 4096, 4, 0.01), point("alltoallv", "pairwise", 2, 4096, 3, 0.01),
		point("alltoallv", "flat-nb", 4, 8, 2, 0.01), point("alltoallv", "pairwise", 4, 8, 1, 0.01),
		point("alltoallv", "flat-nb", 4, 4096, 3, 0.01), point("alltoallv", "pairwise", 4, 4096, 4, 0.01),
		point("gatherv", "smem-copy", 2, 8, 2, 0.01), point("gatherv", "binomial", 2, 8, 1, 0.01))
	want := []string{
		"gatherv on smem, at most 2 ranks: binomial",
		"alltoallv on smem, at most 2 ranks: pairwise",
		"alltoallv on smem, at most 4 ranks: flat-nb",
		"alltoall on smem, at most 2 ranks: smem-copy",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// The shown choices agree with the table: all sizes of an alltoallv have one algorithm, the default
// if several are the fastest.
func TestOneChoiceForAllSizes(t *testing.T) {
	list := Choose(&record.File{Points: slices.Concat(
		point("alltoallv", "flat-nb", 2, 8, 2, 0.01), point("alltoallv", "pairwise", 2, 8, 1, 0.01),
		point("alltoallv", "flat-nb", 2, 4096, 3, 0.01), point("alltoallv", "pairwise", 2, 4096, 4, 0.01))})
	for _, c := range list {
		if got := c.Chosen.String(); got != "flat-nb" {
			t.Errorf("%s is chosen for %d bytes", got, c.Size)
		}
	}
	if r := Rules(list, nil); len(r) != 1 || r[0].Choice.String() != "flat-nb" {
		t.Errorf("rules %v", r)
	}
}

// Rules of operations that were not measured stay, before those of equal blocks if they are for
// unequal ones alone.
func TestOldRulesStay(t *testing.T) {
	rules := func(old []coll.Rule, points ...[]record.Point) []coll.Rule {
		return Rules(Choose(&record.File{Points: slices.Concat(points...)}), old)
	}
	bcast, even := point("bcast", "binomial", 2, 8, 1, 0.01), point("alltoall", "pairwise", 2, 8, 1, 0.01)
	uneven := point("alltoallv", "flat-nb", 2, 8, 1, 0.01)
	want := []string{"alltoallv on smem, at most 2 ranks: flat-nb", "alltoall on smem, at most 2 ranks: pairwise", "bcast on smem, at most 2 ranks: binomial"}
	for _, got := range [][]coll.Rule{
		rules(rules(nil, bcast, uneven), even),
		rules(rules(nil, bcast, even), uneven)[:3],
		rules(rules(nil, bcast, even, uneven), point("alltoallv", "flat-nb", 2, 4096, 1, 0.01)),
		rules(rules(nil, bcast, even, uneven)),
	} {
		text := collect.Each(got, coll.Rule.String)
		slices.Sort(text[1:])
		if d := cmp.Diff(want, text); d != "" {
			t.Error(d)
		}
	}
}

// An algorithm that is not significantly faster does not replace the default.
func TestTheDefaultStaysWhereIntervalsOverlap(t *testing.T) {
	got := short(
		point("bcast", "binomial", 4, 8, 1, 0.2),
		point("bcast", "smem-copy", 4, 8, 1.3, 0.2))
	if d := cmp.Diff([]string{"bcast on smem, at most 4 ranks: smem-copy"}, got); d != "" {
		t.Error(d)
	}
	got = short(
		point("bcast", "binomial", 4, 8, 1, 0.1),
		point("bcast", "smem-copy", 4, 8, 1.3, 0.1))
	if d := cmp.Diff([]string{"bcast on smem, at most 4 ranks: binomial"}, got); d != "" {
		t.Error(d)
	}
}

// Only an algorithm that is faster in the same state of the cores replaces the default, also if
// largest others were measured in another state.
func TestTheDefaultIsComparedInItsState(t *testing.T) {
	in := func(distance float64, list []record.Point) []record.Point {
		for i := range list {
			list[i].DistanceBefore, list[i].DistanceAfter = distance, distance
		}
		return list
	}
	const near, far = 30e-9, 150e-9
	usual := in(near, point("alltoall", "smem-copy", 2, 8, 0.14, 0.01))
	others := [][]record.Point{in(far, point("alltoall", "flat-nb", 2, 8, 0.4, 0.01)), in(far, point("alltoall", "pairwise", 2, 8, 0.5, 0.01))}
	if d := cmp.Diff([]string{"alltoall on smem, at most 2 ranks: smem-copy"}, short(append(others, usual)...)); d != "" {
		t.Error(d)
	}
	others = append(others, usual, in(near, point("alltoall", "pairwise", 2, 8, 0.1, 0.01)))
	if d := cmp.Diff([]string{"alltoall on smem, at most 2 ranks: pairwise"}, short(others...)); d != "" {
		t.Error(d)
	}
	// Of two that are faster, one has too few launches for an interval.
	few := point("bcast", "binomial", 4, 8, 1, 0.1)[:5]
	got := short(few, point("bcast", "knomial:8", 4, 8, 1.2, 0.1), point("bcast", "smem-copy", 4, 8, 2, 0.1))
	if d := cmp.Diff([]string{"bcast on smem, at most 4 ranks: knomial:8"}, got); d != "" {
		t.Error(d)
	}
}

// Launches that fell back to a barrier are not compared with those of announced starts.
func TestTheDefaultIsComparedWithEqualStarts(t *testing.T) {
	by := func(start string, list []record.Point) []record.Point {
		for i := range list {
			list[i].Start = start
		}
		return list
	}
	usual := point("bcast", "smem-copy", 4, 8, 2, 0.1)
	by("barrier", usual[:1])
	got := short(usual[:1], by("time", usual[1:]), by("time", point("bcast", "binomial", 4, 8, 1, 0.1)), by("barrier", point("bcast", "knomial:8", 4, 8, 0.5, 0.1)))
	if d := cmp.Diff([]string{"bcast on smem, at most 4 ranks: binomial"}, got); d != "" {
		t.Error(d)
	}
}

// Sizes with less than a byte for each rank have one rule, and it does not apply to larger ones.
func TestSizesWithoutABlock(t *testing.T) {
	got := short(
		point("reduce_scatter", "ring", 16, 4, 1, 0.01), point("reduce_scatter", "pairwise", 16, 4, 2, 0.01),
		point("reduce_scatter", "ring", 16, 8, 2, 0.01), point("reduce_scatter", "pairwise", 16, 8, 1, 0.01),
		point("reduce_scatter", "ring", 16, 65536, 10, 0.01), point("reduce_scatter", "pairwise", 16, 65536, 20, 0.01))
	want := []string{"reduce_scatter on smem, at most 16 ranks, at most 64 bytes: pairwise", "reduce_scatter on smem, at most 16 ranks: ring"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// Tables do not select algorithms of an MPI library, even if nothing else was measured.
func TestLibrariesAreLeftOut(t *testing.T) {
	got := short(point("bcast", "mpi", 4, 8, 1, 0.1), point("bcast", "mpi", 2, 8, 1, 0.1), point("bcast", "binomial", 2, 8, 2, 0.1))
	if d := cmp.Diff([]string{"bcast on smem, at most 2 ranks: binomial"}, got); d != "" {
		t.Error(d)
	}
}

// On several hosts the default is the algorithm of two levels, which the table keeps if nothing is
// significantly faster.
func TestTheDefaultOfSeveralHosts(t *testing.T) {
	on := func(hosts ...int) string {
		measured := record.File{Runs: []record.Run{{Job: record.Job{Hosts: hosts}}},
			Points: slices.Concat(point("barrier", "recursive-doubling", 4, 0, 1, 0.5), point("barrier", "two-level", 4, 0, 1.1, 0.5))}
		return Choose(&measured)[0].Chosen.String()
	}
	if got := on(0, 0, 1, 1); got != "two-level" {
		t.Errorf("on two hosts %s is chosen", got)
	}
	if got := on(0, 0, 0, 0); got != "recursive-doubling" {
		t.Errorf("on one host %s is chosen", got)
	}
}

// One fast launch of eight does not make an algorithm the fastest, and fewer than six launches do
// not replace the default.
func TestTheLaunchIsTheUnit(t *testing.T) {
	lucky := point("bcast", "binomial", 4, 8, 2, 0.1)
	lucky[3].Metrics.Set("global_s", record.Value{Median: 0.1e-6, N: 100})
	keep := []string{"bcast on smem, at most 4 ranks: smem-copy"}
	if d := cmp.Diff(keep, short(lucky, point("bcast", "smem-copy", 4, 8, 1.3, 0.1))); d != "" {
		t.Error(d)
	}
	few := short(point("bcast", "binomial", 4, 8, 1, 0)[:5], point("bcast", "smem-copy", 4, 8, 2, 0)[:5])
	if d := cmp.Diff(keep, few); d != "" {
		t.Error(d)
	}
}

// The table selects the fastest algorithm of a size when the benchmark runs with that size, for
// each meaning of the size.
func TestTheTableSelectsTheFastest(t *testing.T) {
	for kind := schedule.Bcast; int(kind) < schedule.Kinds; kind++ {
		all := coll.Choices(kind)
		small, large := all[0].String(), all[1].String()
		table := &coll.Table{Rules: Rules(Choose(&record.File{Points: slices.Concat(
			point(kind.String(), small, 4, 1024, 1, 0.01), point(kind.String(), large, 4, 1024, 2, 0.01),
			point(kind.String(), small, 4, 65536, 20, 0.01), point(kind.String(), large, 4, 65536, 10, 0.01),
		)}), nil)}
		for size, want := range map[int]string{1024: small, 65536: large} {
			s := schedule.Shape{Kind: kind, Ranks: 4, Bytes: collective.Block(kind, size, 4), Elem: 1, Commutative: true}
			if kind.Reduces() {
				s.Elem = 4
			}
			if got := table.Choose("smem", &s, false).String(); got != want {
				t.Errorf("%v of %d bytes: %s, but %s has won", kind, size, got, want)
			}
		}
	}
}

// Names of other programs or versions in records are ignored.
func TestUnknownNamesAreLeftOut(t *testing.T) {
	if got := short(point("pingpong", "", 2, 8, 1, 0), point("bcast", "carrier", 2, 8, 1, 0)); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}
