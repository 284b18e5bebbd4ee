package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	ruleRow = regexp.MustCompile(`(?m)^\| (\d+) \| (.+) \|$`)
	cited   = regexp.MustCompile(`\(rules? (\d+[^)]*)\)|rules? (\d+) of docs/methods\.md`)
)

// ruleNumbers returns the numbers of the rules of methods.md, which must be 1, 2, 3, ...
func ruleNumbers(t *testing.T) map[string]bool {
	text, err := os.ReadFile("methods.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## The rules")
	section, _, _ = strings.Cut(section, "\n## ")
	known := map[string]bool{}
	for i, row := range ruleRow.FindAllStringSubmatch(section, -1) {
		if row[1] != strconv.Itoa(i+1) {
			t.Errorf("rule %s of methods.md is number %d of its table", row[1], i+1)
		}
		known[row[1]] = true
	}
	if len(known) == 0 {
		t.Fatal("methods.md has no numbered rules")
	}
	return known
}

// unknownRules returns the rules that a text cites and that are not known.
func unknownRules(text string, known map[string]bool) (unknown []string) {
	for _, m := range cited.FindAllStringSubmatch(text, -1) {
		for _, n := range regexp.MustCompile(`\d+\w*`).FindAllString(m[1]+m[2], -1) {
			if !known[n] {
				unknown = append(unknown, fmt.Sprintf("%s: there is no rule %s", m[0], n))
			}
			if strings.Contains(m[1], "Hoefler") {
				break // their rules, not ours
			}
		}
	}
	return unknown
}

// Every rule that a comment or a page cites by number is a rule of methods.md.
func TestCitedRulesExist(t *testing.T) {
	known := ruleNumbers(t)
	if got := unknownRules("(rule 9a) and (rules 3 and 999), rule 0 of docs/methods.md", known); len(got) != 3 {
		t.Fatalf("unknown rules are found as %q", got)
	}
	err := filepath.WalkDir("..", func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name != ".." && strings.HasPrefix(name, ".") && name != ".github" {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Base(path) == "rules_test.go" || !strings.Contains(".go.md.c.h.sh.toml", filepath.Ext(path)) || filepath.Ext(path) == "" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, u := range unknownRules(string(text), known) {
			t.Errorf("%s: %s", path, u)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
