package document_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gobench/internal/report/cell"
	"gobench/internal/report/claims"
	"gobench/internal/report/document"
	"gobench/internal/report/figure/figuretest"
)

// Claims are a section of a document, and all that is written as Markdown and CSV.
func TestClaims(t *testing.T) {
	s := cell.NewSet()
	s.Add("p2p.jsonl", figuretest.PingPong(6))
	list, err := claims.Of("thesis")
	if err != nil {
		t.Fatal(err)
	}
	results := claims.Judge(s, list)
	for ext, wholeDocument := range map[string]bool{".html": true, ".md": false, ".csv": false} {
		path := filepath.Join(t.TempDir(), "claims"+ext)
		files, _, err := document.Write(s, document.Output{Path: path, Work: "thesis", Claims: results})
		if err != nil || len(files) != 1 {
			t.Fatalf("%v, %q", err, files)
		}
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text := string(page)
		for _, want := range []string{"latency in shared memory is 0.3 us at best", "at most 0.3 us", "0.1", "holds", "not measured"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q", ext, want)
			}
		}
		if strings.Contains(text, "How to reproduce") != wholeDocument {
			t.Errorf("%s: is it a whole document? want %v", ext, wholeDocument)
		}
	}
}
