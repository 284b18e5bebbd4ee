package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// An entry is a file of a package: its path below /usr or below the directory of an archive, and the
// file whose content it has.
type entry struct {
	path, from string
	mode       fs.FileMode
}

// documents writes what all builds have in common into a directory: manual pages, completions for
// shells, licences. It returns the entries of the packages.
func (s *source) documents(dir string) ([]entry, error) {
	program, err := s.own(filepath.Join(dir, "own"))
	if err != nil {
		return nil, err
	}
	epoch := []string{fmt.Sprintf("SOURCE_DATE_EPOCH=%d", s.time.Unix()), "GOBENCH_PROFILE=none"}
	if _, err := output(dir, epoch, program, "man", "man1"); err != nil {
		return nil, err
	}
	var entries []entry
	pages, err := filepath.Glob(filepath.Join(dir, "man1", "*.1"))
	if err != nil || len(pages) == 0 {
		return nil, fmt.Errorf("%s man has written no pages: %w", program, err)
	}
	for _, page := range pages {
		entries = append(entries, entry{"share/man/man1/" + filepath.Base(page), page, 0o644})
	}
	for shell, path := range map[string]string{
		"bash": "share/bash-completion/completions/gobench",
		"zsh":  "share/zsh/site-functions/_gobench",
		"fish": "share/fish/vendor_completions.d/gobench.fish",
	} {
		script, err := output(dir, epoch, program, "completion", shell)
		if err != nil {
			return nil, err
		}
		file := filepath.Join(dir, "completion."+shell)
		if err := os.WriteFile(file, []byte(script+"\n"), 0o644); err != nil {
			return nil, err
		}
		entries = append(entries, entry{path, file, 0o644})
	}
	notice, err := s.notice()
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "NOTICE"), []byte(notice), 0o644); err != nil {
		return nil, err
	}
	entries = append(entries, entry{"share/doc/gobench/NOTICE", filepath.Join(dir, "NOTICE"), 0o644})
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md", "CITATION.cff"} {
		entries = append(entries, entry{"share/doc/gobench/" + name, filepath.Join(s.dir, name), 0o644})
	}
	configs := filepath.Join(s.dir, "configs")
	err = filepath.WalkDir(configs, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(configs, path)
		entries = append(entries, entry{"share/gobench/configs/" + filepath.ToSlash(name), path, 0o644})
		return err
	})
	return entries, err
}

// contents returns the entries of an archive of a target, sorted by path.
func contents(t target, program string, shared []entry) []entry {
	entries := append([]entry{{"bin/" + t.name(), program, 0o755}}, shared...)
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.path, b.path) })
	return entries
}
