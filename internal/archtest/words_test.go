package archtest

import (
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

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

// TestWords fails for unclear words in names and indirect phrases in comments.
func TestWords(t *testing.T) {
	if n := len(unclearIn("p.go", []byte("package p\n\n// Its errors are those\n// of p, nil if there is none.\nvar mostOf, inPlace, almost int\n"))); n != 2 {
		t.Fatalf("%d unclear words are found, want 2", n)
	}
	tree(t, func(name string) {
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "archtest/words_test.go") {
			return
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.HasPrefix(text, []byte("// Code generated")) {
			return
		}
		for _, found := range unclearIn(name, text) {
			t.Error(found)
		}
	})
}
