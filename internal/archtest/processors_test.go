package archtest

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTypesForOtherProcessors checks the types of all packages and their tests with the files that
// arm64 compiles, and of the program with those of processors on which nothing is run, without cgo,
// from source: go vet and go build would compile the standard library and all modules for that
// processor first. Files without constraints have been vetted for this one.
func TestTypesForOtherProcessors(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: -short leaves out the types for other processors, which take 10 s")
	}
	s := sources{token.NewFileSet(), map[string]*ast.File{}}
	t.Run("arm64", func(t *testing.T) { noInternalTypes(t, s.checkTypes(t, "arm64", "", "-test", "./...")) })
	for _, processor := range []string{"riscv64", "ppc64le"} {
		t.Run(processor, func(t *testing.T) { s.checkTypes(t, processor, "simd", "./cmd/gobench") })
	}
}

// sources holds files by name, most of which all processors compile.
type sources struct {
	set    *token.FileSet
	parsed map[string]*ast.File
}

func (s sources) parse(t *testing.T, name string) *ast.File {
	if s.parsed[name] == nil {
		file, err := parser.ParseFile(s.set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		s.parsed[name] = file
	}
	return s.parsed[name]
}

// checkTypes checks the types of packages and what they import, and returns them by path. A
// function without a body needs a package with files of assembler.
func (s sources) checkTypes(t *testing.T, processor, experiment string, packages ...string) map[string]*types.Package {
	cmd := exec.Command("go", append([]string{"list", "-deps", "-json=ImportPath,Dir,GoFiles,SFiles,ImportMap,Standard,Module"}, packages...)...)
	cmd.Dir, cmd.Stderr = root, os.Stderr
	cmd.Env = append(os.Environ(), "GOARCH="+processor, "CGO_ENABLED=0", "GOEXPERIMENT="+experiment)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	checked := map[string]*types.Package{"unsafe": types.Unsafe}
	own := 0
	for list := json.NewDecoder(out); ; {
		var p struct {
			ImportPath, Dir string
			GoFiles, SFiles []string
			ImportMap       map[string]string
			Standard        bool
			Module          *struct{ Main bool }
		}
		if err := list.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		// the second is written by the go command
		if p.ImportPath == "unsafe" || strings.HasSuffix(p.ImportPath, ".test") {
			continue
		}
		var parsed []*ast.File
		for _, name := range p.GoFiles {
			if !filepath.IsAbs(name) {
				name = filepath.Join(p.Dir, name)
			}
			parsed = append(parsed, s.parse(t, name))
		}
		ours := p.Module != nil && p.Module.Main
		if ours {
			own++
			for _, file := range parsed {
				for _, d := range file.Decls {
					if f, ok := d.(*ast.FuncDecl); ok && f.Body == nil && len(p.SFiles) == 0 {
						t.Errorf("%s: %s has no body for %s", p.ImportPath, f.Name.Name, processor)
					}
				}
			}
		}
		check := types.Config{
			IgnoreFuncBodies: !ours,
			Sizes:            types.SizesFor("gc", processor),
			Importer: importer(func(path string) (*types.Package, error) {
				if in, ok := p.ImportMap[path]; ok {
					path = in
				}
				if checked[path] == nil {
					return nil, errors.New("not listed before: " + path)
				}
				return checked[path], nil
			}),
			Error: func(err error) {
				if ours {
					t.Error(err)
				}
			},
		}
		// Errors outside this module come from packages that need more than types, as runtime.
		path, _, _ := strings.Cut(p.ImportPath, " ")
		checked[p.ImportPath], _ = check.Check(path, s.set, parsed, nil)
	}
	if err := cmd.Wait(); err != nil || own < 50 {
		t.Fatalf("%v, %d packages", err, own)
	}
	return checked
}

type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }
