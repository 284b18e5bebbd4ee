package collective_test

import (
	"slices"
	"testing"

	"gobench/bench"
	"gobench/comm/schedule"
	"gobench/internal/micro/collective"
)

// The blocks of every distribution are as many bytes as equal ones, and unequal unless even.
func TestDistributions(t *testing.T) {
	for _, name := range []string{"even", "large", "empty", "zipf", "random"} {
		for _, ranks := range []int{1, 2, 3, 8, 100} {
			for _, size := range []int{0, 1, 1000} {
				counts := collective.Counts(name, size, ranks)
				sum := 0
				for _, n := range counts {
					sum += n
				}
				if sum != ranks*size || slices.Min(counts) < 0 {
					t.Errorf("%s, %d B, %d ranks: %d bytes, smallest %d", name, size, ranks, sum, slices.Min(counts))
				}
				if equal := slices.Min(counts) == slices.Max(counts); ranks > 2 && size > 100 && equal != (name == "even") {
					t.Errorf("%s, %d B, %d ranks: %v", name, size, ranks, counts)
				}
			}
		}
	}
	if got := collective.Counts("large", 10, 4); got[3] != 20 {
		t.Errorf("large: %v", got)
	}
	if got := collective.Counts("empty", 10, 4); !slices.Equal(got, []int{20, 0, 20, 0}) {
		t.Errorf("empty: %v", got)
	}
}

// uneven lists the operations with a vector form.
func uneven() (kinds []schedule.Kind) {
	for kind := range schedule.Kind(schedule.Kinds) {
		if collective.CheckDistribution(kind, "even") == nil {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// Every vector form is measured with every distribution, blocking and overlapped.
func TestVectorForms(t *testing.T) {
	var cells []bench.Case
	for _, kind := range uneven() {
		for i, name := range []string{"large", "empty", "zipf", "random"} {
			for _, size := range []int{3, 5000} {
				b := collective.New(kind, collective.Options{Distribution: name, Overlap: i == 0})
				cells = append(cells, bench.Case{Bench: b, Size: size, Root: bench.Root{Rotate: i%2 == 1}})
			}
		}
	}
	found, err := over(t, "smem", 3, cells)
	if err != nil {
		t.Fatal(err)
	}
	for i, points := range found.Cells() {
		p := points[0]
		if p.Bench != cells[i].Bench.Name || p.Bench[len(p.Bench)-1] != 'v' || p.Distribution == "" || p.Checked == 0 {
			t.Errorf("%s, %q: %d checked", p.Bench, p.Distribution, p.Checked)
		}
	}
}

// A vector form fails if one bit of a block is wrong.
func TestVectorFormsDetectAWrongBit(t *testing.T) {
	for _, kind := range uneven() {
		victim := 1
		if kind == schedule.Gather {
			victim = 0
		}
		b := collective.New(kind, collective.Options{Algorithm: broken(kind, victim, 1), Distribution: "zipf"})
		if _, err := over(t, "smem", 2, []bench.Case{{Bench: b, Size: 64}}); err == nil {
			t.Errorf("%v: no error", kind)
		}
	}
}
