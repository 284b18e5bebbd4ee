package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var link = regexp.MustCompile(`\]\((docs/[^)#]+)`)

// The index at the end of README.md leads to every page, and not to notes of measurements, to which
// pages refer where they use them.
func TestReadmeIsTheIndex(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, index, ok := strings.Cut(string(text), "\n[Methods](")
	if !ok {
		t.Fatal("README.md has no index")
	}
	linked := map[string]bool{}
	for _, m := range link.FindAllStringSubmatch("[Methods]("+index, -1) {
		linked[m[1]] = true
		if strings.HasPrefix(m[1], "docs/notes/") {
			t.Errorf("the index of README.md links %s, a note", m[1])
		}
	}
	pages, err := filepath.Glob("*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("%v, %d pages", err, len(pages))
	}
	for _, page := range pages {
		if !linked["docs/"+page] {
			t.Errorf("the index of README.md does not link docs/%s", page)
		}
	}
}
