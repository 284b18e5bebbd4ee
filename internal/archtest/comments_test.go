package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// root is the root of the tree.
var root = filepath.Join("..", "..")

// opening matches a sentence, or a line, that names a subject and postpones the verb: "Rank is what
// ...", "Limit is how ...", "Check says whether ...". The reader has to turn it around to learn
// what a thing does. Name it and use the verb: "Rank returns ...", "A Limit bounds ...", "Check
// reports whether ...".
var opening = regexp.MustCompile(`(?m)(^|[.:;]\s)\*?[A-Za-z_.]+\s((is|are)\s(what|how|where|that\sof|whether|when|who|why|the\sway)|says?|tells?)\b.*`)

// unnamed matches a number that a comment points to and does not name. Name the parameter, or write
// "a job of the given number of ranks".
var unnamed = regexp.MustCompile(`(?i)\bso\s+many\b.*`)

// openings returns the places of a comment that opening or unnamed matches.
func openings(comment string) (found []string) {
	for _, paragraph := range strings.Split(comment, "\n\n") {
		if strings.HasPrefix(paragraph, "\t") || strings.HasPrefix(paragraph, " ") {
			continue // a listing
		}
		found = append(append(found, opening.FindAllString(paragraph, -1)...), unnamed.FindAllString(paragraph, -1)...)
	}
	return found
}

// goFiles calls f for every Go file of the tree, by its path from the root.
func goFiles(t *testing.T, f func(path string, file *ast.File, set *token.FileSet)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && strings.HasPrefix(entry.Name(), "."):
			return filepath.SkipDir
		case entry.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		f(filepath.ToSlash(name), file, set)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestCommentsNameSubjectAndVerb(t *testing.T) {
	var found []string
	goFiles(t, func(name string, file *ast.File, set *token.FileSet) {
		for _, group := range file.Comments {
			line := set.Position(group.Pos()).Line
			for _, sentence := range openings(group.Text()) {
				found = append(found, fmt.Sprintf("%s:%d: %s", name, line, sentence))
			}
		}
	})
	if len(found) > 0 {
		t.Errorf("%d comments begin with \"X is what\", \"X says\" or the like, or do not name a number (\"so many\"):\n%s", len(found), strings.Join(found, "\n"))
	}
}

func TestOpeningsAreFound(t *testing.T) {
	for comment, want := range map[string]int{
		"Rank is what a rank is called.":                         1,
		"options are how it is done, and more.\nSecond line.":    1,
		"Check says which ranks agree.":                          1,
		"Good begins well.\n\npart.end is where a part ends.":    1,
		"Rank returns the rank. It is what others send to.":      1,
		"Rank returns the rank, by which\nothers say who it is.": 1,
		"A Sample is a set of measurements.":                     0,
		"Sum adds vectors.\n\nIt reads so\nmany bytes of each.":  1,
		"Poll delivers what has arrived and tells the caller so": 0,
		"\tlisting is what is set in code":                       0,
	} {
		if found := openings(comment); len(found) != want {
			t.Errorf("%q: found %q, want %d", comment, found, want)
		}
	}
}

// commented lists packages whose invariants cannot be read off the code: concurrent protocols. At
// least a fifth of their lines that are not empty is comment.
var commented = []string{"device/protocol", "internal/comm/coll/shared", "internal/launch/exchange", "transports/smem"}

func TestProtocolsAreExplained(t *testing.T) {
	const share = 0.20
	for _, dir := range commented {
		lines, comments := 0, 0
		tree(t, func(name string) {
			if path.Dir(name) != dir || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
				return
			}
			text, err := os.ReadFile(filepath.Join(root, name))
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(text)) {
				switch line = strings.TrimSpace(line); {
				case line == "":
					continue
				case strings.HasPrefix(line, "//"):
					comments++
				}
				lines++
			}
		})
		if lines == 0 || float64(comments) < share*float64(lines) {
			t.Errorf("%s: %d of %d lines are comments, want %.0f %%", dir, comments, lines, 100*share)
		}
	}
}
