package glossary

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gobench/internal/micro"
	"gobench/internal/micro/collective"
)

// Command answers each name of docs/names.md with the command beside it, and with none beside
// "nothing". The page has all names of other programs that benchmarks and operations have.
func TestNamesOfOtherPrograms(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", "names.md"))
	if err != nil {
		t.Fatal(err)
	}
	quoted := regexp.MustCompile("`([^`]+)`")
	seen := map[string]bool{}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || !strings.HasPrefix(cells[1], " `") {
			continue
		}
		want := strings.Trim(cells[2], " `")
		for _, name := range quoted.FindAllStringSubmatch(cells[1], -1) {
			seen[strings.ToLower(name[1])] = true
			got := Command(name[1])
			if stem, any := strings.CutSuffix(want, "…"); want != got && !(want == "nothing" && got == "") && !(any && strings.HasPrefix(got, stem)) {
				t.Errorf("%s is measured by %q, and docs/names.md says %q", name[1], got, want)
			}
		}
	}
	for _, b := range micro.All() {
		for _, alias := range b.Aliases {
			if (strings.HasPrefix(alias, "osu_") || strings.HasPrefix(alias, "ib_")) && !seen[alias] {
				t.Errorf("docs/names.md lacks %s", alias)
			}
		}
	}
	for _, b := range collective.All() {
		if strings.HasSuffix(b.Name, "scan") {
			continue // neither IMB nor OSU has it
		}
		for _, name := range []string{b.Name, "osu_" + b.Name, "osu_i" + b.Name} {
			if !seen[name] {
				t.Errorf("docs/names.md lacks %s", name)
			}
		}
	}
}

// Every name that a benchmark or an operation has is explained, in every form.
func TestEveryNameIsExplained(t *testing.T) {
	var names []string
	for _, b := range micro.All() {
		names = append(append(names, b.Name), b.Aliases...)
	}
	for _, b := range collective.All() {
		names = append(names, b.Name, "i"+b.Name, "MPI_"+b.Name, "osu_"+b.Name)
	}
	names = append(names, "scatterv", "gatherv", "allgatherv", "alltoallv", "ialltoallv")
	for _, name := range names {
		if e, err := Lookup(name); err != nil || e.Kind != "benchmark" && e.Kind != "operation" && e.Kind != "metric" {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
	}
}
