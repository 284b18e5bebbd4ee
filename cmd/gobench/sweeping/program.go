package sweeping

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"gobench/bench/record"
	"gobench/cmd/gobench/child"
)

// program is one that launches are made by.
type program struct {
	version string
	build   string      // fingerprint of its file
	file    os.FileInfo // as it was when that was taken
}

// ChangedError says that the file of a program became another one while a sweep ran it.
type ChangedError struct{ Program, File string }

func (e *ChangedError) Error() string {
	return fmt.Sprintf("%s was built anew while the sweep ran: the launches so far are in %s, by the program as it was; name another file with -o for the new one",
		e.Program, e.File)
}

// learn takes the fingerprints of all programs and asks them for their versions, a dry run
// this one alone.
func (r *run) learn(ctx context.Context) error {
	r.programs = map[string]*program{}
	for _, name := range append([]string{""}, r.plan.Programs...) {
		p := &program{version: r.Version}
		if name != "" && r.DryRun {
			p.version = "" // not asked for
		} else if name != "" {
			var out bytes.Buffer
			if err := (child.Child{Program: name, Args: []string{"--version"}, Stdout: &out, Stderr: r.stderr}).Run(ctx); err != nil {
				return &UsageError{fmt.Errorf("program %s: %w", name, err)}
			}
			p.version = strings.TrimPrefix(strings.TrimSpace(out.String()), "gobench version ")
		}
		var err error
		if p.file, p.build, err = fingerprint(name); err != nil {
			return &UsageError{fmt.Errorf("program %s: %w", name, err)}
		}
		r.programs[name] = p
	}
	return nil
}

// locate finds the file of a program, "" being this one.
func locate(name string) (string, error) {
	path, err := child.Child{Program: name}.Path()
	if err != nil {
		return "", err
	}
	return exec.LookPath(path)
}

// fingerprint tells apart programs of the same version: the beginning of the SHA-256 sum
// of the file. Of a script it sees nothing of what that starts.
func fingerprint(name string) (os.FileInfo, string, error) {
	path, err := locate(name)
	if err != nil {
		return nil, "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, "", err
	}
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return nil, "", err
	}
	return info, hex.EncodeToString(h.Sum(nil)[:8]), nil
}

// unchanged finds out before a launch whether its program is still the one that the sweep
// began with. A file that was only touched is.
func (r *run) unchanged(name string) error {
	path, err := locate(name)
	if err != nil {
		return err
	}
	p := r.programs[name]
	now, err := os.Stat(path)
	if err == nil && os.SameFile(now, p.file) && now.ModTime().Equal(p.file.ModTime()) && now.Size() == p.file.Size() {
		return nil
	}
	file, build, err := fingerprint(name)
	if err != nil {
		return err
	}
	if build != p.build {
		return &ChangedError{path, r.File}
	}
	p.file = file
	return nil
}

// same finds out whether a launch in the file of records was made by the program that would
// make it now, and on this machine.
func (r *run) same(l *record.Launch) error {
	p := r.programs[l.Program]
	asked := l.Program == "" || !r.DryRun
	switch {
	case asked && l.Version != p.version || l.Host != r.Host:
		return &UsageError{fmt.Errorf("%s holds launches of this sweep by another gobench or machine (%s on %s, this is %s on %s): name another file with -o",
			r.File, l.Version, l.Host, p.version, r.Host)}
	case l.Build != "" && l.Build != p.build: // old rows do not say
		return &UsageError{fmt.Errorf("the program has changed since %s was begun: it holds launches of this sweep by build %s of version %s, this is build %s; name another file with -o, and compare the two",
			r.File, l.Build, l.Version, p.build)}
	}
	return nil
}
