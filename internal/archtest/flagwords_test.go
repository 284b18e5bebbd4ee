package archtest

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// flagWord matches a flag of a command line in a text: --start, --%s, or -n and -o of
// gobench.
var flagWord = regexp.MustCompile(`(^|[^\w-])(--([a-z][a-z-]+|%[svq])|-[no]([ ,;:)/]|$))`)

// commandLines lists files of libraries whose strings are command lines, or parts of them, and the
// reason.
var commandLines = map[string]string{
	"internal/experiment/sweep/estimate.go":    "starts gobench",
	"internal/experiment/sweep/launch.go":      "starts gobench",
	"internal/experiment/sweep/program.go":     "starts gobench",
	"internal/experiment/tuner/options.go":     "starts gobench",
	"internal/experiment/tuner/tuner.go":       "starts gobench",
	"internal/lab/lab.go":                      "starts programs of the system",
	"internal/lab/slurm.go":                    "starts Slurm",
	"internal/launch/detect/allocation_end.go": "starts squeue",
	"internal/launch/detect/detect.go":         "names launchers with their options",
	"internal/launch/host/startedby.go":        "reads the command lines of launchers",
	"internal/launch/remote/install.go":        "a script for the shell of another host",
	"internal/launch/remote/ssh.go":            "starts ssh",
	"internal/report/comparison/first.go":      "names commands of gobench",
	"internal/report/document/reproduce.go":    "reads and writes the command lines of records",
	"internal/report/document/script.go":       "reads and writes the command lines of records",
	"transports/mpi/device.go":                 "names mpiexec with its option",
	"transports/mpi/driver.go":                 "the command line of mpiexec",
}

// library reports whether a file is of a package that programs import without a command line.
func library(path string) bool {
	return !strings.HasSuffix(path, "_test.go") && !slices.ContainsFunc([]string{"cmd/", "docs/", "internal/cli/", "peers/", "scripts/"}, func(tree string) bool { return strings.HasPrefix(path, tree) })
}

// flagWords returns the strings of a file that name flags. Arguments of match are patterns of texts
// of other programs, and an application has examples of its verb.
func flagWords(file *ast.File, set *token.FileSet) (found []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if name, ok := n.Fun.(*ast.Ident); ok && name.Name == "match" {
				return false
			}
		case *ast.KeyValueExpr: // command lines in the help of an application
			if name, ok := n.Key.(*ast.Ident); ok && name.Name == "Example" {
				return false
			}
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING && flagWord.MatchString(text) {
				found = append(found, set.Position(n.Pos()).String()+": "+n.Value)
			}
		}
		return true
	})
	return found
}

// A library does not know how its user sets an option: it names the option by package remedy, and
// the program words it as a flag.
func TestLibrariesNameNoFlags(t *testing.T) {
	used := map[string]bool{}
	goFiles(t, func(path string, file *ast.File, set *token.FileSet) {
		if !library(path) {
			return
		}
		words := flagWords(file, set)
		if _, listed := commandLines[path]; listed {
			used[path] = used[path] || len(words) > 0
			return
		}
		for _, w := range words {
			t.Errorf("%s names a flag: use an option of internal/remedy", w)
		}
	})
	for path := range commandLines {
		if !used[path] {
			t.Errorf("commandLines lists %s, which has no flag", path)
		}
	}
}

func TestFlagWordsAreFound(t *testing.T) {
	for text, want := range map[string]bool{
		"use --start=barrier": true, "--pin": true, "(gobench npb -n 1)": true, "another file with -o": true, "run without --pin=none": true, "use --%s": true,
		"a -- b": false, "a-name": false, "core-to-core": false, "x --": false, "1e-9 -nan": false,
	} {
		if got := flagWord.MatchString(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
