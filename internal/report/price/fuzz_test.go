package price

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gobench/internal/fuzzing"
	"gobench/record"
)

// A file that is accepted gives a price that is absent or a number. An input is one of the two
// files, combined with a valid one of the other kind.
func FuzzFiles(t *testing.F) {
	f := fuzzing.New(t)
	good := [2][]byte{
		[]byte("name = \"B\"\ncurrency = \"USD\"\n[[price]]\ntype = \"n\"\noption = \"spot\"\nper_hour = 1.5\ndate = \"2013\"\nsource = \"s\"\n"),
		[]byte("name = \"C\"\n[[node]]\ntype = \"n\"\nhosts = \"n*\"\ncores = 4\ncount = 2\n"),
	}
	dir := f.TempDir()
	var paths [2]string
	for i, data := range good {
		f.Add(i == 1, data)
		paths[i] = filepath.Join(dir, []string{"book.toml", "cluster.toml"}[i])
		if err := os.WriteFile(paths[i], data, 0o600); err != nil {
			f.Fatal(err)
		}
	}
	f.Add(true, append(slices.Clone(good[1]), "[[node]]\ntype = \"n\"\ncount = 1\nrole = \"server\"\n"...))
	f.Add(false, []byte("[[price]]\nper_hour = nan\n"))
	f.Add(true, []byte("[[node]]\nhosts = \"[\"\n"))
	book, err := Load(paths[0])
	if err != nil {
		f.Fatal(err)
	}
	nodes, err := LoadCluster(paths[1])
	if err != nil {
		f.Fatal(err)
	}
	path := filepath.Join(dir, "input.toml")
	f.Fuzz(func(t *testing.T, isCluster bool, data []byte) {
		if len(data) > 1024 {
			return
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		b, c, err := book, nodes, error(nil)
		if isCluster {
			c, err = LoadCluster(path)
		} else {
			b, err = Load(path)
		}
		var file *record.FileError
		if err != nil {
			if !errors.As(err, &file) {
				t.Fatalf("error %v has no file", err)
			}
			return
		}
		for _, job := range []Job{{Host: "n1", Cores: 7}, {Hosts: []string{"n1", "n2"}}} {
			if rate, err := c.Rate(b, "spot", "2012", job); err == nil && (math.IsNaN(rate) || rate < 0) {
				t.Errorf("a job costs %v for an hour", rate)
			}
		}
	})
}
