package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The example for continuous integration asks for nothing that does not exist: verbs,
// flags, configurations and the baseline.
func TestTheWorkflowIsUpToDate(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", ".github", "workflows", "bench.yml"))
	if err != nil {
		t.Fatal(err)
	}
	baseline := regexp.MustCompile(`BASELINE: (\S+)`).FindSubmatch(text)
	if baseline == nil {
		t.Fatal("no baseline is named")
	}
	script := strings.NewReplacer("\\\n", " ", `"`, "", "$BASELINE", string(baseline[1]), "$MIN_EFFECT", "25%").Replace(string(text))
	commands := regexp.MustCompile(`bin/gobench ([^|>\n]*)`).FindAllStringSubmatch(script, -1)
	var verbs []string
	for _, c := range commands {
		args := strings.Fields(c[1])
		verbs = append(verbs, args[0])
		cmd, rest, err := newRoot(args).Find(args)
		if err != nil || cmd.Name() != args[0] {
			t.Errorf("%s: %v", c[0], err)
			continue
		}
		if err := cmd.ParseFlags(rest); err != nil {
			t.Errorf("%s: %v", c[0], err)
		}
		for _, path := range cmd.Flags().Args() {
			if strings.HasPrefix(path, "out/") {
				continue // made by the steps before
			}
			if _, err := os.Stat(filepath.Join("..", "..", path)); err != nil {
				t.Errorf("%s: %v", c[0], err)
			}
		}
	}
	if !slices.Equal(verbs, []string{"sweep", "compare", "report"}) {
		t.Errorf("commands %q", verbs)
	}
}

// Nothing is to be said against the baseline in this repository beside itself.
func TestTheBaselineComparesWithItself(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join("..", "..", "results", "baseline", "*", "ci.jsonl"))
	if err != nil || len(folders) == 0 {
		t.Fatal("there is no baseline", err)
	}
	for _, path := range folders {
		var out, warnings strings.Builder
		code := gobench(t.Context(), []string{"compare", path, path}, &out, &warnings)
		if code != exitFine || warnings.Len() > 0 || strings.Contains(out.String(), "# warning") || strings.Contains(out.String(), "slower") {
			t.Errorf("%s: exit code %d\n%s%s", path, code, warnings.String(), out.String())
		}
	}
}
