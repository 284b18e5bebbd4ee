package main

import (
	"gobench/internal/exit"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func workflow(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", ".github", "workflows", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// events are those that start a workflow.
func events(text string) []string {
	_, on, _ := strings.Cut(text, "\non:\n")
	on, _, _ = strings.Cut(on, "\n\n")
	var list []string
	for _, m := range regexp.MustCompile(`(?m)^  (\w+):`).FindAllStringSubmatch(on, -1) {
		list = append(list, m[1])
	}
	return list
}

// The verbs, flags and configurations in the example for continuous integration exist.
func TestTheWorkflowIsUpToDate(t *testing.T) {
	script := strings.NewReplacer("\\\n", " ", `"`, "", "$MIN_EFFECT", "25%").Replace(workflow(t, "bench.yml"))
	commands := regexp.MustCompile(`bin/gobench ([^|>\n]*)`).FindAllStringSubmatch(script, -1)
	var verbs []string
	for _, c := range commands {
		args := strings.Fields(c[1])
		if args[0] == "out/base/" || args[0] == "out/new/" {
			continue // is copied
		}
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
	if !slices.Equal(verbs, []string{"sweep", "sweep", "compare", "report"}) {
		t.Errorf("commands %q", verbs)
	}
}

// Runners differ from each other and from the machine of any baseline. The example therefore
// measures both sides in one job, which is started manually.
func TestTheWorkflowComparesOneMachine(t *testing.T) {
	text := workflow(t, "bench.yml")
	if strings.Contains(text, "baselines") {
		t.Error("it compares with records of another machine")
	}
	if on := events(text); !slices.Equal(on, []string{"workflow_dispatch"}) {
		t.Errorf("it is started by %q", on)
	}
}

func TestAllTestsRunOnEveryChange(t *testing.T) {
	text := workflow(t, "test.yml")
	if on := events(text); !slices.Equal(on, []string{"push", "pull_request"}) || !strings.Contains(text, "run: make test\n") {
		t.Errorf("it is started by %q", on)
	}
	version, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`(?m)^toolchain go(\d+\.\d+)`).FindSubmatch(version)
	if want == nil || !strings.Contains(text, "container: golang:"+string(want[1])+"-") {
		t.Errorf("the image is not that of Go %s", want[1])
	}
}

// Comparing the baseline in this repository with itself gives one warning: that it is the same.
func TestTheBaselineComparesWithItself(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "baselines", "*", "ci.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatal("there is no baseline", err)
	}
	for _, path := range files {
		var out, warnings strings.Builder
		code := gobench(t.Context(), []string{"compare", path, path}, &out, &warnings)
		if code != exit.Fine || warnings.Len() > 0 || strings.Count(out.String(), "# warning") != 1 ||
			!strings.Contains(out.String(), "one of them is a copy") || strings.Contains(out.String(), "slower") {
			t.Errorf("%s: exit code %d\n%s%s", path, code, warnings.String(), out.String())
		}
	}
}
