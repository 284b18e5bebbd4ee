package simd

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "copy the shared files of package lanes again")

// copies lists the shared files by the directory and name that they are written in. Each of the
// directories behind it has a copy.
var copies = []struct{ from, name string }{
	{"x1", "block"}, {"x1", "flow"}, {"x1", "penta"}, {"x1", "relax"},
	{"x2", "copy"}, {"x2", "reduce"}, {"x2", "solver"}, {"x2", "yee"},
}

// Copies are equal to the files that are written: go test ./internal/simd -run Copies -update makes
// them again. They are no symbolic links because the archive of a module cannot hold any. Files of
// plain Go get the constraint of vectors.
func TestCopiesAreEqual(t *testing.T) {
	for _, c := range copies {
		text, err := os.ReadFile(filepath.Join("lanes", c.from, c.name+".go"))
		if err != nil {
			t.Fatal(err)
		}
		head := "// Code generated from ../" + c.from + "/" + c.name + ".go; DO NOT EDIT.\n\n"
		if c.from == "x1" {
			head += "//go:build goexperiment.simd && (amd64 || arm64) && go1.27 && !go1.28\n\n"
		}
		want := append([]byte(head), text...)
		for _, dir := range []string{"x2", "x4", "x8"} {
			if dir == c.from {
				continue
			}
			end := "_amd64.go"
			if dir == "x2" {
				end = ".go"
			}
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
