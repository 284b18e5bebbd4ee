package price

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// Files that are accepted can be asked for a price, which is none or a number.
func FuzzFiles(f *testing.F) {
	book := "name = \"B\"\ncurrency = \"USD\"\n[[price]]\ntype = \"n\"\noption = \"spot\"\nper_hour = 1.5\ndate = \"2013\"\nsource = \"s\"\n"
	cluster := "name = \"C\"\n[[node]]\ntype = \"n\"\nhosts = \"n*\"\ncores = 4\ncount = 2\n"
	f.Add([]byte(book), []byte(cluster))
	f.Add([]byte(book), []byte(cluster+"[[node]]\ntype = \"n\"\ncount = 1\nrole = \"server\"\n"))
	f.Add([]byte("[[price]]\nper_hour = nan\n"), []byte("[[node]]\nhosts = \"[\"\n"))
	paths := [2]string{filepath.Join(f.TempDir(), "book.toml"), filepath.Join(f.TempDir(), "cluster.toml")}
	f.Fuzz(func(t *testing.T, book, cluster []byte) {
		if len(book)+len(cluster) > 1024 {
			return
		}
		for i, data := range [][]byte{book, cluster} {
			if err := os.WriteFile(paths[i], data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		b, err := Load(paths[0])
		c, err2 := LoadCluster(paths[1])
		for _, err := range []error{err, err2} {
			var file *FileError
			if err != nil && !errors.As(err, &file) {
				t.Fatalf("error %v has no file", err)
			}
		}
		if err != nil || err2 != nil {
			return
		}
		if rate, err := c.Rate(b, "spot", "", "n1", 7); err == nil && (math.IsNaN(rate) || rate < 0) {
			t.Errorf("a job costs %v for an hour", rate)
		}
	})
}
