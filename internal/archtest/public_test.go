package archtest

import (
	"go/ast"
	"go/doc"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// publicPackages returns the first column of the table of docs/architecture.md.
func publicPackages(t *testing.T) (patterns []string) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Public packages\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]*) \\|").FindAllStringSubmatch(section, -1) {
		for name := range strings.SplitSeq(row[1], ", ") {
			patterns = append(patterns, strings.NewReplacer("`", "", "…", "...").Replace(name))
		}
	}
	return patterns
}

// unlisted returns the packages that a program of others could import, of those that fit no
// pattern, and the patterns that no package fits.
func unlisted(packages []pkg, patterns []string) (names, unused []string) {
	unused = slices.Clone(patterns)
	for _, p := range packages {
		path := strings.TrimPrefix(p.ImportPath, module)
		if p.Name == "main" || len(p.GoFiles)+len(p.CgoFiles) == 0 || isInternal(path) {
			continue
		}
		fit := func(pattern string) bool { return fits(pattern, path) }
		if !slices.ContainsFunc(patterns, fit) {
			names = append(names, path)
		}
		unused = slices.DeleteFunc(unused, fit)
	}
	return names, unused
}

// What a program of others can import is listed with its reason: all else is internal.
func TestPublicPackagesAreListed(t *testing.T) {
	names, unused := unlisted(packages(t), publicPackages(t))
	for _, name := range names {
		t.Errorf("%s is not in the table of docs/architecture.md: move it to internal, or list it there with a reason", name)
	}
	for _, pattern := range unused {
		t.Errorf("the table of docs/architecture.md lists %s, and there is no such package", pattern)
	}
	in := []pkg{{ImportPath: module + "new", Name: "new", GoFiles: []string{"new.go"}}, {ImportPath: module + "device", Name: "device", GoFiles: []string{"a.go"}}}
	if names, unused := unlisted(in, []string{"device", "gone/..."}); !slices.Equal(names, []string{"new"}) || !slices.Equal(unused, []string{"gone/..."}) {
		t.Errorf("of new and device, unlisted are %v, unused %v", names, unused)
	}
}

// A newcomer finds the use of each public package at the top of the tree in an example that is run.
func TestPublicPackagesHaveExamples(t *testing.T) {
	shown := map[string]bool{}
	goFiles(t, func(name string, file *ast.File, _ *token.FileSet) {
		for _, e := range doc.Examples(file) {
			shown[path.Dir(name)] = shown[path.Dir(name)] || e.Output != ""
		}
	})
	for _, name := range publicPackages(t) {
		if !strings.Contains(name, "/") && !shown[name] {
			t.Errorf("%s has no example with an output", name)
		}
	}
}
