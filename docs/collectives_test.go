package docs

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"gobench/comm/coll"
)

var update = flag.Bool("update", false, "write the tables that are generated from the code")

// algorithmsHead begins the table of algorithms, which is generated: go test ./docs -update.
const algorithmsHead = "| operation | algorithm | what it does | source |\n|---|---|---|---|\n"

// The table of algorithms equals the registry of the code.
func TestAlgorithmsAreListed(t *testing.T) {
	const page = "collectives.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, table, found := strings.Cut(string(text), algorithmsHead)
	if !found {
		t.Fatalf("%s has no table that begins with %q", page, algorithmsHead)
	}
	table, after, _ := strings.Cut(table, "\n\n")
	var want strings.Builder
	for _, a := range coll.All() {
		fmt.Fprintf(&want, "| %v | `%s` | %s | %s |\n", a.Kind, a.Name, a.About, a.Source)
	}
	if rows := want.String(); table+"\n" != rows {
		if !*update {
			t.Fatalf("the table of %s is not that of the code: go test ./docs -update", page)
		}
		if err := os.WriteFile(page, []byte(before+algorithmsHead+rows+"\n"+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
