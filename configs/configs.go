// Package configs has the sweeps of this folder as a part of the program, so that an installed
// gobench runs them without files: gobench sweep quick.
package configs

import (
	"embed"
	"path"
	"strings"
)

//go:embed *.toml
var files embed.FS

// Sweep returns the sweep of a name, such as "quick", and false if there is none.
func Sweep(name string) ([]byte, bool) {
	text, err := files.ReadFile(name + ".toml")
	return text, err == nil
}

// Names returns the names of all sweeps, sorted.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // it is a part of the program
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), path.Ext(e.Name())))
	}
	return names
}
