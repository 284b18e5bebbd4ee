package archtest

import (
	"bytes"
	"flag"
	"fmt"
	"go/scanner"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// record rewrites the table of packages with words that remain.
var record = flag.Bool("record", false, "write the numbers of testdata/words.txt")

// table has the number of words that remain in each package. A package that it does not list has
// none of them.
const table = "testdata/words.txt"

// unclear are words of names that have a plainer one in Go, MPI or verbs.
var unclear = map[string]string{
	"most": "max, largest or limit", "least": "min or smallest",
	"patience": "timeout", "patient": "timeout", "respite": "polls",
	"note": "record, warn or count", "noted": "recorded", "notes": "warnings or records",
	"place": "position, buffer or slot", "placed": "assigned", "places": "positions, buffers or slots",
	"way": "direction or method", "ways": "directions or methods",
	"come": "connect or arrive", "comes": "connects or follows", "came": "arrived",
	"enter": "begin or lock", "enters": "begins", "entered": "begun",
	"crew": "group", "crews": "groups", "habit": "policy", "habits": "policies",
	"loan": "offer", "loans": "offers",
	"folder": "directory", "folders": "directories",
}

// indirect matches phrases of comments that say indirectly what a plainer phrase says.
var indirect = regexp.MustCompile(`(?i)\b(` +
	`(?:is|are|was|were) (?:that|those) of` + // comes from, belongs to, equals
	`|(?:has|have) none|(?:is|are) none` + // lacks, is empty; there is none is plain
	`|at once` + // immediately, or concurrently
	`|nil (?:where|when|unless|without)` + // nil if
	`|folders?|crews?|habits?|respite|patience|loans?` +
	`)\b`)

var plain = regexp.MustCompile(`(?i)\bthere (is|are) none\b`)

var wordOf = regexp.MustCompile(`[A-Z]+[a-z]*|[a-z]+`)

// wordsOf returns the unclear words of a name, and what to write instead.
func wordsOf(name string) (found []string) {
	all := wordOf.FindAllString(name, -1)
	for i, w := range all {
		w = strings.ToLower(w)
		if w == "place" && i > 0 && strings.EqualFold(all[i-1], "in") {
			continue // MPI_IN_PLACE
		}
		if better := unclear[w]; better != "" {
			found = append(found, fmt.Sprintf("%s: %q is %s", name, w, better))
		}
	}
	return found
}

// phrasesOf returns the indirect phrases of a comment.
func phrasesOf(comment string) []string {
	text := strings.Join(strings.Fields(strings.ReplaceAll(comment, "\n//", " ")), " ")
	return indirect.FindAllString(plain.ReplaceAllString(text, ""), -1)
}

// unclearIn returns where a Go file has unclear words and phrases.
func unclearIn(name string, text []byte) (found []string) {
	file := token.NewFileSet().AddFile(name, -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, scanner.ScanComments)
	var comment strings.Builder // of adjacent lines
	begin, last := 0, -1
	flush := func() {
		for _, p := range phrasesOf(comment.String()) {
			found = append(found, fmt.Sprintf("%s:%d: the comment says %q", name, begin, p))
		}
		comment.Reset()
	}
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			flush()
			return found
		}
		line := file.Line(pos)
		switch tok {
		case token.COMMENT:
			if line != last+1 {
				flush()
				begin = line
			}
			fmt.Fprintln(&comment, literal)
			last = line
		case token.IDENT:
			for _, w := range wordsOf(literal) {
				found = append(found, fmt.Sprintf("%s:%d: %s", name, line, w))
			}
		}
	}
}

// TestWords counts unclear words in names and indirect phrases in comments. Their number in a
// package is the one recorded in the table, and may only fall: go test ./internal/archtest -run
// TestWords -record writes the table, in whose difference a number that rises is seen.
func TestWords(t *testing.T) {
	if n := len(unclearIn("p.go", []byte("package p\n\n// Its errors are those\n// of p, nil if there is none.\nvar mostOf, inPlace, almost int\n"))); n != 2 {
		t.Fatalf("%d unclear words are found, want 2", n)
	}
	found := map[string][]string{}
	tree(t, func(name string) {
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "archtest/words_test.go") {
			return
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(text, []byte("// Code generated")) {
			found[path.Dir(name)] = append(found[path.Dir(name)], unclearIn(name, text)...)
		}
	})
	recorded := map[string]int{}
	text, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var dir string
		var n int
		if _, err := fmt.Sscan(line, &dir, &n); err != nil {
			t.Fatalf("%s: %q: %v", table, line, err)
		}
		recorded[dir] = n
	}
	if *record {
		var out strings.Builder
		for _, dir := range slices.Sorted(maps.Keys(found)) {
			if n := len(found[dir]); n > 0 {
				fmt.Fprintln(&out, dir, n)
			}
		}
		if err := os.WriteFile(table, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for dir, n := range recorded {
		if len(found[dir]) < n {
			t.Errorf("%s has %d unclear words, and the table has %d: go test ./internal/archtest -run TestWords -record", dir, len(found[dir]), n)
		}
	}
	for dir, list := range found {
		if len(list) > recorded[dir] {
			t.Errorf("%s has %d unclear words, and may have %d:\n\t%s", dir, len(list), recorded[dir], strings.Join(list, "\n\t"))
		}
	}
}
