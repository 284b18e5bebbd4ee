package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A source is the tree of a commit, without anything else that lies in the checkout.
type source struct {
	dir     string
	version string // v0.9.0
	commit  string
	time    time.Time // of the commit, the time of all files
	module  string    // path of the module
	changes []change
}

var tag = regexp.MustCompile(`^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$`)

// checkOut writes the tree of the commit that is checked out into a directory below work, so that
// uncommitted changes and files that git ignores are not part of a release.
func checkOut(work, version string) (*source, error) {
	if !tag.MatchString(version) {
		return nil, fmt.Errorf("--version is %q, want a version such as v0.9.0", version)
	}
	s := &source{dir: filepath.Join(work, "source"), version: version}
	root, err := output(".", nil, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, fmt.Errorf("a release is built from a commit, so it needs a checkout of git: %w", err)
	}
	about, err := output(root, nil, "git", "log", "-1", "--format=%H %ct")
	if err != nil {
		return nil, err
	}
	hash, seconds, _ := strings.Cut(about, " ")
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("the time of commit %s: %w", hash, err)
	}
	s.commit, s.time = hash, time.Unix(n, 0).UTC()
	if changed, err := output(root, nil, "git", "status", "--porcelain", "--untracked-files=no"); err != nil {
		return nil, err
	} else if changed != "" {
		fmt.Fprintf(os.Stderr, "release: uncommitted changes are not part of it:\n%s\n", changed)
	}
	archive := filepath.Join(work, "source.tar")
	if _, err := output(root, nil, "git", "archive", "-o", archive, hash); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(s.dir, 0o777); err != nil {
		return nil, err
	}
	if _, err := output(s.dir, nil, "tar", "-xf", archive); err != nil {
		return nil, err
	}
	if s.module, err = output(s.dir, nil, "go", "list", "-m"); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(s.dir, "CHANGELOG.md"))
	if err != nil {
		return nil, err
	}
	if s.changes, err = parseChanges(string(text)); err != nil {
		return nil, err
	}
	if s.changes[0].version != version {
		return nil, fmt.Errorf("the first entry of CHANGELOG.md is of %s, not of %s: add the entry and commit it", s.changes[0].version, version)
	}
	return s, nil
}

// output runs a command in a directory and returns its standard output without the last line end. The
// error has what it wrote to standard error.
func output(dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return strings.TrimRight(stdout.String(), "\n"), nil
}
