package document

import (
	"slices"
	"testing"
)

// A row that is higher than a page is divided, and nothing of it is lost.
func TestDivideLosesNothing(t *testing.T) {
	row := [][]string{{"a", "b", "c", "d", "e"}, {"1"}, nil}
	got := make([][]string, len(row))
	parts := 0
	for left := row; left != nil; parts++ {
		var part [][]string
		part, left = divide(left, 2)
		for i, lines := range part {
			got[i] = append(got[i], lines...)
		}
	}
	if parts != 3 || !slices.EqualFunc(got, row, slices.Equal) {
		t.Errorf("%d parts: %q", parts, got)
	}
}
