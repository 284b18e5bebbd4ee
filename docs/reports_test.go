package docs

import (
	"os"
	"strings"
	"testing"

	"gobench/internal/report/figure"
)

// Every kind of figure has its place in the table of docs/reports.md.
func TestFiguresAreDocumented(t *testing.T) {
	text, err := os.ReadFile("reports.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text), "| `--figure` | shows |")
	if !ok {
		t.Fatal("reports.md has no table of figures")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	var names strings.Builder
	for row := range strings.SplitSeq(table, "\n") {
		if name, _, ok := strings.Cut(strings.TrimPrefix(row, "|"), "|"); ok {
			names.WriteString(name)
		}
	}
	for _, k := range figure.Kinds {
		if !strings.Contains(names.String(), "`"+k.Name+"`") {
			t.Errorf("the table of docs/reports.md lacks `%s`: %s", k.Name, k.Shows)
		}
	}
}
