// Package configs holds the sweeps of the repository, so that an installed program has them:
// gobench sweep quick.
package configs

import (
	"embed"
	"io/fs"
	"path"
	"strings"
)

//go:embed *.toml rivals/*.toml
var files embed.FS

// A Sweep is a file of this package.
type Sweep struct {
	Name  string // "quick", "rivals/p2p"
	About string // the beginning of its comment
}

// Sweeps returns all sweeps by name.
func Sweeps() []Sweep {
	var list []Sweep
	fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := files.ReadFile(name)
		comment, _, _ := strings.Cut(string(text), "\n\n")
		first := strings.ReplaceAll(strings.TrimPrefix(comment, "# "), "\n# ", " ")
		for _, end := range []string{". ", ": ", " (", ", on "} {
			first, _, _ = strings.Cut(first, end)
		}
		list = append(list, Sweep{strings.TrimSuffix(name, ".toml"), strings.Trim(first, "# .:")})
		return err
	})
	return list
}

// Read returns the file of a sweep by its name, with or without the directory configs and the
// suffix.
func Read(name string) ([]byte, error) {
	name = strings.TrimPrefix(path.Clean(name), "configs/")
	return files.ReadFile(strings.TrimSuffix(name, ".toml") + ".toml")
}
