package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// references knows the files, commands and flags that documentation may name.
type references struct {
	top   []string        // the directories of the root
	names map[string]bool // of all files, without their directories
	flags map[string]map[string]bool
	makes map[string]bool // targets of the Makefile
}

func newReferences(t *testing.T) *references {
	t.Helper()
	r := &references{names: map[string]bool{}, flags: map[string]map[string]bool{}, makes: map[string]bool{}}
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && e.Name() != "bin" && e.Name() != "results" { // made by make
			r.top = append(r.top, e.Name())
		}
	}
	tree(t, func(name string) { r.names[path.Base(name)] = true })
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^([a-z-]+):`).FindAllStringSubmatch(string(makefile), -1) {
		r.makes[m[1]] = true
	}
	program := filepath.Join(t.TempDir(), "gobench")
	build := exec.Command("go", "build", "-o", program, "./cmd/gobench")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	help := func(args ...string) string {
		out, err := exec.Command(program, append(args, "--help")...).Output()
		if err != nil {
			t.Fatalf("gobench %v --help: %v", args, err)
		}
		return string(out)
	}
	_, commands, _ := strings.Cut(help(), "\nCommands:\n")
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z0-9]+) `).FindAllStringSubmatch(commands, -1) {
		flags := map[string]bool{"--help": true}
		for _, f := range regexp.MustCompile(`(?m)^ +(?:-\w, )?(--[a-z0-9-]+)`).FindAllStringSubmatch(help(m[1]), -1) {
			flags[f[1]] = true
		}
		r.flags[m[1]] = flags
	}
	if len(r.flags) < 5 || len(r.flags["p2p"]) < 5 || len(r.makes) < 5 {
		t.Fatalf("the help of gobench and the Makefile name only %v and %v", r.flags, r.makes)
	}
	r.flags["help"] = map[string]bool{}
	return r
}

// tree calls f for every file of the tree by its path from the root.
func tree(t *testing.T, f func(name string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || file == root {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if strings.HasPrefix(name, ".") && name != ".github" && name != ".ci" || name == "bin" || name == "results" {
				return filepath.SkipDir
			}
			return nil
		}
		f(filepath.ToSlash(name))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

var (
	pathWord    = regexp.MustCompile(`^[A-Za-z_.][\w.*-]*(/[\w.*-]+)+/?$`)
	fileWord    = regexp.MustCompile(`^[\w-]+\.(go|sh|md)$`)
	placeholder = regexp.MustCompile(`(^|[/_])[A-Z]{2,}($|[/_.])`) // transports/NAME, OPERATION_ALGORITHM.go
)

// file returns a complaint if word is the path of a file or dir that does not exist. dir is the
// dir of the file that names it.
func (r *references) file(dir, word string) string {
	switch {
	case fileWord.MatchString(word):
		if r.names[word] || placeholder.MatchString(word) && word != strings.ToUpper(word[:len(word)-3])+".md" {
			return ""
		}
		return "there is no file " + word
	case !pathWord.MatchString(word), strings.Contains(word, "..."):
		return ""
	}
	word = strings.TrimPrefix(word, module)
	first, _, _ := strings.Cut(word, "/")
	if !slices.Contains(r.top, first) {
		return ""
	}
	for _, candidate := range []string{word, path.Join(dir, word), word + ".go", symbol.ReplaceAllString(word, "")} {
		if found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(candidate))); err == nil && len(found) > 0 {
			return ""
		}
	}
	if placeholder.MatchString(strings.TrimSuffix(word, path.Ext(word))) {
		return ""
	}
	return "there is no file or directory " + word
}

var symbol = regexp.MustCompile(`\.[A-Z]\w*$`) // of a package: device/protocol.Wire

// code returns the complaints about a line of code: paths, gobench with a command and flags, make
// with a target.
func (r *references) code(dir, line string) []string {
	var found []string
	if before, _, comment := strings.Cut(line, " #"); comment {
		line = before
	}
	words := strings.Fields(line)
	verb, inside := "", false
	for i, word := range words {
		word = strings.Trim(word, "\"'(),;:")
		switch {
		case word == "|" || word == "&&":
			inside = false
		case word == "gobench" || word == "bin/gobench":
			inside, verb = true, ""
			if i+1 < len(words) && regexp.MustCompile(`^[a-z][a-z0-9]*$`).MatchString(words[i+1]) {
				if verb = words[i+1]; r.flags[verb] == nil {
					found = append(found, "gobench has no command "+verb)
				}
			}
		case word == "make" && i == 0:
			for _, target := range words[1:] {
				if strings.HasPrefix(target, "#") {
					break
				}
				if regexp.MustCompile(`^[a-z][a-z-]*$`).MatchString(target) && !r.makes[target] {
					found = append(found, "the Makefile has no target "+target)
				}
			}
		case strings.HasPrefix(word, "--") && len(word) > 2 && (inside || i == 0):
			flag, _, _ := strings.Cut(word, "=")
			if flag = strings.TrimRight(flag, "."); !r.flag(verb, flag) {
				found = append(found, "gobench "+verb+" has no flag "+flag)
			}
		default:
			if complaint := r.file(dir, strings.TrimRight(word, ".")); complaint != "" {
				found = append(found, complaint)
			}
		}
	}
	return found
}

// flag reports whether a command of gobench has a flag; any command if verb is "".
func (r *references) flag(verb, flag string) bool {
	if flags, ok := r.flags[verb]; ok && verb != "" {
		return flags[flag]
	}
	for _, flags := range r.flags {
		if flags[flag] {
			return true
		}
	}
	return flag == "--version"
}

var (
	link = regexp.MustCompile(`\]\(([^)#\s]+)`)
	span = regexp.MustCompile("`([^`]+)`")
)

// markdown returns the complaints about a page, with the numbers of their lines.
func (r *references) markdown(dir, text string) []string {
	var found []string
	fenced := false
	for i, line := range strings.Split(text, "\n") {
		var complaints []string
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
			continue
		}
		if fenced {
			complaints = r.code(dir, line)
		} else {
			for _, m := range link.FindAllStringSubmatch(line, -1) {
				if target := m[1]; !strings.Contains(target, ":") {
					if _, err := os.Stat(filepath.Join(root, dir, target)); err != nil {
						complaints = append(complaints, "there is no "+target+" to link to")
					}
				}
			}
			for _, m := range span.FindAllStringSubmatch(line, -1) {
				complaints = append(complaints, r.code(dir, m[1])...)
			}
		}
		for _, c := range complaints {
			found = append(found, fmt.Sprintf("line %d: %s", i+1, c))
		}
	}
	return found
}

// Whoever follows the documentation finds what it names.
func TestReferencesResolve(t *testing.T) {
	r := newReferences(t)
	tree(t, func(name string) {
		if path.Ext(name) != ".md" {
			return
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, complaint := range r.markdown(path.Dir(name), string(text)) {
			t.Errorf("%s, %s", name, complaint)
		}
	})
	goFiles(t, func(name string, file *ast.File, _ *token.FileSet) {
		for word := range strings.FieldsSeq(file.Doc.Text()) {
			if complaint := r.file(path.Dir(name), strings.Trim(word, "\"'(),;:.")); complaint != "" {
				t.Errorf("package comment of %s: %s", name, complaint)
			}
		}
	})
}

func TestBrokenReferencesAreFound(t *testing.T) {
	r := &references{
		top:   []string{"internal", "docs"},
		names: map[string]bool{"README.md": true, "doc.go": true},
		flags: map[string]map[string]bool{"p2p": {"--sizes": true}, "coll": {"--op": true}},
		makes: map[string]bool{"test": true},
	}
	for page, want := range map[string]int{
		"see [here](../archtest/doc.go) and `internal/archtest`, `doc.go`, `docs/NAME.md`": 0,
		"see [here](nowhere.md)":                             1,
		"`internal/nowhere`":                                 1,
		"`bcast_binomial.go` is a short one":                 1,
		"```\nbin/gobench p2p --sizes=8  # --nothing\n```":   0,
		"```\nbin/gobench p2p --size=8\n```":                 1,
		"`gobench p3p`":                                      1,
		"`gobench p2p --op=x`":                               1,
		"`--op=x` and `--sizes`":                             0,
		"`--opp`":                                            1,
		"`make test` and `make toast`":                       1,
		"`mpirun --oversubscribe gobench coll --op=barrier`": 0,
	} {
		if found := r.markdown("internal/archtest", page); len(found) != want {
			t.Errorf("%q: found %q, want %d", page, found, want)
		}
	}
}
