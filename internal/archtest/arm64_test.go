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

// TestTypesForArm64 checks the types of all packages and their tests with the files that arm64
// compiles, without cgo, from source: go vet would compile the standard library and all modules for
// that processor first. Files without constraints have been vetted for this one.
func TestTypesForArm64(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "-test", "-json=ImportPath,Dir,GoFiles,ImportMap,Standard,Module", "./...")
	cmd.Dir, cmd.Stderr = root, os.Stderr
	cmd.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0", "GOEXPERIMENT=")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	checked := map[string]*types.Package{"unsafe": types.Unsafe}
	files := token.NewFileSet()
	own := 0
	for packages := json.NewDecoder(out); ; {
		var p struct {
			ImportPath, Dir string
			GoFiles         []string
			ImportMap       map[string]string
			Standard        bool
			Module          *struct{ Main bool }
		}
		if err := packages.Decode(&p); errors.Is(err, io.EOF) {
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
			file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			parsed = append(parsed, file)
		}
		ours := p.Module != nil && p.Module.Main
		if ours {
			own++
		}
		check := types.Config{
			IgnoreFuncBodies: !ours,
			Sizes:            types.SizesFor("gc", "arm64"),
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
		checked[p.ImportPath], _ = check.Check(path, files, parsed, nil)
	}
	if err := cmd.Wait(); err != nil || own < 100 {
		t.Fatalf("%v, %d packages", err, own)
	}
}

type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }
