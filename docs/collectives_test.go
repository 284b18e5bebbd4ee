package docs

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"gobench/comm/coll"
)

// The page lists every algorithm there is, and no other.
func TestEveryAlgorithmIsListed(t *testing.T) {
	text, err := os.ReadFile("collectives.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, " | ")
		if len(cells) == 4 && strings.HasPrefix(cells[1], "`") {
			listed[cells[0]+" | "+cells[1]] = true
		}
	}
	for _, a := range coll.All() {
		row := fmt.Sprintf("| %v | `%s`", a.Kind, a.Name)
		if !listed[row] {
			t.Errorf("%q is missing", row)
		}
		delete(listed, row)
	}
	for row := range listed {
		t.Errorf("%q is no algorithm", row)
	}
}
