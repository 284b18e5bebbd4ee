package document

import (
	"slices"
	"testing"

	"gobench/compare"
	"gobench/record"
)

// Two cells at one place have different names, also if only the second one has the factor in which
// they differ.
func TestCellNamesDiffer(t *testing.T) {
	row := func(factors ...compare.Factor) compare.Row {
		factors = append([]compare.Factor{{Name: "bench", Value: "pingpong"}}, factors...)
		return compare.Row{Side: "b", Cell: compare.Cell{Factors: factors, Sample: &record.Point{Bench: "pingpong", Size: 8, Ranks: 2}}}
	}
	names := cellNames([]compare.Row{row(), row(compare.Factor{Name: "options.window", Value: "8"})})
	if names[0] == names[1] {
		t.Errorf("two cells are called %q", names[0])
	}
	slices.Reverse(names)
	if other := cellNames([]compare.Row{row(compare.Factor{Name: "options.window", Value: "8"}), row()}); !slices.Equal(names, other) {
		t.Errorf("%q in one order, %q in the other", names, other)
	}
}
