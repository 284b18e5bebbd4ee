package archtest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// scripts/lines.sh counts every Go file and every template of one in one class.
func TestLinesAreCounted(t *testing.T) {
	if _, err := os.Stat(filepath.Join(root, ".git")); err != nil {
		t.Skip("SKIPPED: the script counts what git tracks")
	}
	out, err := exec.Command(filepath.Join(root, "scripts/lines.sh")).Output()
	if err != nil {
		t.Fatal(err)
	}
	counted := map[string]int{}
	for line := range strings.Lines(string(out)) {
		var class string
		var n int
		if _, err := fmt.Sscan(line, &class, &n); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		counted[class] = n
	}
	lines := map[bool]int{} // of tests, and of the rest
	program := 0            // of cmd/gobench, without tests
	tree(t, func(name string) {
		if path.Ext(strings.TrimSuffix(name, ".tmpl")) != ".go" || strings.Contains(name, "testdata/") {
			return
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		test, n := strings.HasSuffix(name, "_test.go"), bytes.Count(text, []byte("\n"))
		if lines[test] += n; !test && path.Dir(name) == "cmd/gobench" {
			program += n
		}
	})
	if got := counted["product"] + counted["support"] + counted["generated"]; got != lines[false] || counted["tests"] != lines[true] {
		t.Errorf("it counts %d lines and %d of tests, want %d and %d:\n%s", got, counted["tests"], lines[false], lines[true], out)
	}
	if limit := 2500; program > limit {
		t.Errorf("cmd/gobench has %d lines, more than %d: it parses, calls and prints, what does more belongs into a package", program, limit)
	}
	for _, class := range []string{"product", "support", "generated", "C", "shell", "Markdown"} {
		if counted[class] < 100 {
			t.Errorf("%s has %d lines", class, counted[class])
		}
	}
}
