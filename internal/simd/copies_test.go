package simd

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "copy the shared files of package lanes again")

// copies lists the shared files, by the directory and name that they are written in, and the
// directories that have a copy. Files for amd64 say so in their names.
var copies = []struct {
	from, name string
	to         []string // for amd64 only if empty
}{
	{"x1", "block", []string{"x2", "x4", "x8"}},
	{"x1", "flow", []string{"x2", "x4", "x8"}},
	{"x1", "penta", []string{"x2", "x4", "x8"}},
	{"x1", "relax", []string{"x2", "x4", "x8"}},
	{"x2", "copy", nil},
	{"x2", "reduce", nil},
	{"x2", "solver", nil},
	{"x2", "yee", nil},
}

// Copies are equal to the files that are written: go test ./internal/simd -run Copies -update makes
// them again. They are no symbolic links because the archive of a module cannot hold any.
func TestCopiesAreEqual(t *testing.T) {
	for _, c := range copies {
		text, err := os.ReadFile(filepath.Join("lanes", c.from, c.name+".go"))
		if err != nil {
			t.Fatal(err)
		}
		want := append([]byte("// Code generated from ../"+c.from+"/"+c.name+".go; DO NOT EDIT.\n\n"), text...)
		to, end := c.to, ".go"
		if to == nil {
			to, end = []string{"x4", "x8"}, "_amd64.go"
		}
		for _, dir := range to {
			path := filepath.Join("lanes", dir, c.name+end)
			if got, err := os.ReadFile(path); err == nil && bytes.Equal(got, want) {
				continue
			}
			if !*update {
				t.Errorf("%s is no copy of %s/%s.go: go test ./internal/simd -run Copies -update", path, c.from, c.name)
				continue
			}
			os.Remove(path)
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
