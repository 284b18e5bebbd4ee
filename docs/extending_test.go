package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The code that docs/extending.md shows is in the repository, where it is compiled and tested.
func TestQuotedCodeIsReal(t *testing.T) {
	text, err := os.ReadFile("extending.md")
	if err != nil {
		t.Fatal(err)
	}
	var sources []string
	for _, pattern := range []string{"../transports/seqpacket/*.go", "../internal/micro/example_test.go", "../kernels/kerneltest/example_test.go", "../internal/launch/detect/*.go", "../internal/report/figure/example_test.go", "../experiment/example/main.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no source %s: %v", pattern, err)
		}
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			sources = append(sources, string(source))
		}
	}
	all := strings.Join(sources, "\n")
	blocks := strings.Split(string(text), "```go\n")[1:]
	if len(blocks) == 0 {
		t.Fatal("docs/extending.md shows no code")
	}
	for _, block := range blocks {
		code, _, _ := strings.Cut(block, "```")
		for part := range strings.SplitSeq(code, "\n\n") {
			if !strings.Contains(all, strings.TrimRight(part, "\n")) {
				t.Errorf("docs/extending.md shows code that is nowhere in the examples:\n%s", part)
			}
		}
	}
}
