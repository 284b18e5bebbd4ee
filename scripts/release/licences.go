package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A module is a module whose packages a program contains.
type module struct {
	path, version, dir string
	packages           []string // directories of the packages that are used
}

// licenceFile matches the names of files with the terms of a module.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|authors|contributors|ofl)([-._].*)?$`)

// termsFile matches those that have a licence.
var termsFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|ofl)([-._].*)?$`)

// notice returns the text of NOTICE: the licences of the modules and of the standard library whose
// code or data any build of a release contains. A module without a licence is an error.
func (s *source) notice() (string, error) {
	modules, err := s.modules()
	if err != nil {
		return "", err
	}
	goroot, err := output(s.dir, nil, "go", "env", "GOROOT")
	if err != nil {
		return "", err
	}
	version, err := output(s.dir, nil, "go", "env", "GOVERSION")
	if err != nil {
		return "", err
	}
	modules = append([]module{{path: "the Go standard library", version: version, dir: goroot}}, modules...)
	var b strings.Builder
	b.WriteString("gobench is licensed under the Apache License 2.0 (file LICENSE).\nThe program contains the following modules, under their licences.\n")
	for _, m := range modules {
		texts, err := m.licences()
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\n%s\n%s %s\n", strings.Repeat("=", 72), m.path, m.version)
		for _, file := range texts {
			text, err := os.ReadFile(file)
			if err != nil {
				return "", err
			}
			name, err := filepath.Rel(m.dir, file)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, "%s\n%s:\n\n%s\n", strings.Repeat("-", 72), filepath.ToSlash(name), strings.TrimSpace(strings.ToValidUTF8(strings.ReplaceAll(string(text), "\r", ""), "?")))
		}
	}
	return b.String(), nil
}

// licences returns the files with terms in the directory of a module and in those of its packages and
// above them, sorted.
func (m module) licences() ([]string, error) {
	directories := map[string]bool{m.dir: true}
	for _, dir := range m.packages {
		for ; len(dir) > len(m.dir); dir = filepath.Dir(dir) {
			directories[dir] = true
		}
	}
	var found []string
	terms := false
	for directory := range directories {
		entries, err := os.ReadDir(directory)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if !e.IsDir() && licenceFile.MatchString(e.Name()) && filepath.Ext(e.Name()) != ".go" {
				found = append(found, filepath.Join(directory, e.Name()))
				terms = terms || termsFile.MatchString(e.Name())
			}
		}
	}
	if !terms {
		return nil, fmt.Errorf("module %s %s has no file with a licence: a release may not contain it", m.path, m.version)
	}
	slices.Sort(found)
	return found, nil
}

// modules returns the modules that builds of a release contain, sorted by path.
func (s *source) modules() ([]module, error) {
	byPath := map[string]*module{}
	for _, t := range targets {
		env := []string{"GOOS=linux", "GOARCH=" + t.arch, "CGO_ENABLED=0", "GOFLAGS=", "GOEXPERIMENT=simd"}
		args := []string{"list", "-deps", "-json=Dir,Module"}
		if t.full {
			env = append(env, "CGO_ENABLED=1")
			args = append(args, "-tags", fullTags)
		}
		text, err := output(s.dir, env, "go", append(args, "./cmd/gobench")...)
		if err != nil {
			return nil, err
		}
		for decoder := json.NewDecoder(strings.NewReader(text)); ; {
			var p struct {
				Dir    string
				Module *struct {
					Path, Version, Dir string
					Main               bool
				}
			}
			if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, err
			}
			if p.Module == nil || p.Module.Main {
				continue
			}
			m := byPath[p.Module.Path]
			if m == nil {
				m = &module{path: p.Module.Path, version: p.Module.Version, dir: p.Module.Dir}
				byPath[m.path] = m
			}
			if !slices.Contains(m.packages, p.Dir) {
				m.packages = append(m.packages, p.Dir)
			}
		}
	}
	var list []module
	for _, m := range byPath {
		if _, err := os.Stat(m.dir); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		list = append(list, *m)
	}
	slices.SortFunc(list, func(a, b module) int { return cmp.Compare(a.path, b.path) })
	return list, nil
}
