package docs

import (
	"os"
	"strings"
	"testing"
)

// The sweep and the row of a program that is not gobench are those that a script of cmd/gobench
// runs.
func TestTheGateOfAnotherProgramIsTried(t *testing.T) {
	page, err := os.ReadFile("compare.md")
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("../cmd/gobench/testdata/script/own.txtar")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "### A gate for your own program\n")
	_, sweep, _ := strings.Cut(section, "```toml\n")
	sweep, _, _ = strings.Cut(sweep, "```\n")
	if sweep == "" || !strings.Contains(string(script), "-- own.toml --\n"+sweep+"-- ") {
		t.Errorf("no script runs\n%s", sweep)
	}
	_, workflow, _ := strings.Cut(section, "```yaml\n")
	for _, command := range []string{"sweep own.toml -o own.jsonl", "compare --gate --by=library --base=base "} {
		if !strings.Contains(workflow, "tool/bin/gobench "+command) || !strings.Contains(string(script), command) {
			t.Errorf("%q is not in the workflow and in the script", command)
		}
	}
}
