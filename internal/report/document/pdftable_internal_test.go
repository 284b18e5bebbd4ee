package document

import (
	"slices"
	"strings"
	"testing"

	"gobench/internal/report/figure"
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

// A table whose first row does not fit on a page begins on the next one, with its title and its
// head.
func TestTableKeepsHeadWithFirstRow(t *testing.T) {
	table := Table{Title: "Runs", Columns: []string{"run"}, Rows: [][]Field{{{Text: strings.Repeat("a word ", 100)}}}}
	fresh, low := &pages{pdf: figure.NewPDF(paperWidth, paperHeight)}, &pages{pdf: figure.NewPDF(paperWidth, paperHeight)}
	fresh.begin()
	fresh.table(table)
	low.begin()
	low.y = low.page.Min.Y + 65 // room for title and head, and not for the row
	low.table(table)
	if low.n != 2 || low.y != fresh.y {
		t.Errorf("it ends on page %d at %v, want %v as on a new page", low.n, low.y, fresh.y)
	}
}
