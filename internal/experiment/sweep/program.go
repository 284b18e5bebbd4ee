package sweep

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

	"gobench/internal/exit"
	"gobench/internal/launch/child"
	"gobench/internal/remedy"
	"gobench/record"
)

// program is a gobench program of a sweep.
type program struct {
	version string
	build   string      // fingerprint of its file
	file    os.FileInfo // when the fingerprint was computed
}

// ChangedError reports that the file of a program changed during a sweep.
type ChangedError struct{ Program, File string }

func (e *ChangedError) Error() string {
	return fmt.Sprintf("%s was rebuilt during the sweep: %s contains launches of the previous build; name another file with %v for the new one",
		e.Program, e.File, remedy.Named("output"))
}

// identify computes the fingerprints of all programs and runs them for their versions. A dry run
// does not run programs that the file names.
func (r *runner) identify(ctx context.Context) error {
	r.programs = map[string]*program{}
	for _, name := range append([]string{""}, r.plan.Programs...) {
		p := &program{version: r.Version}
		if name != "" && r.DryRun {
			p.version = "" // unknown
		} else if name != "" {
			var out bytes.Buffer
			if err := (child.Child{Program: name, Args: []string{"--version"}, Stdout: &out, Stderr: r.Stderr}).Run(ctx); err != nil {
				return &exit.UsageError{Err: fmt.Errorf("program %s: %w", name, err)}
			}
			p.version = strings.TrimPrefix(strings.TrimSpace(out.String()), "gobench version ")
		}
		var err error
		if p.file, p.build, err = fingerprint(name); err != nil {
			return &exit.UsageError{Err: fmt.Errorf("program %s: %w", name, err)}
		}
		r.programs[name] = p
	}
	return nil
}

// locate returns the path of a program; "" = this program.
func locate(name string) (string, error) {
	path, err := child.Child{Program: name}.Path()
	if err != nil {
		return "", err
	}
	return exec.LookPath(path)
}

// fingerprint returns the first digits of the SHA-256 digest of the file of a program, which
// differs between builds of the same version. For a script it does not include the programs that it
// starts.
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

// unchanged returns a *ChangedError if the content of a program has changed since the sweep began.
func (r *runner) unchanged(name string) error {
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

// checkOrigin returns an error if a launch in the file of records was made on another machine or by
// another build of the program.
func (r *runner) checkOrigin(l *record.Launch) error {
	p := r.programs[l.Program]
	versionKnown := l.Program == "" || !r.DryRun
	if l.Command[0] == foreignTable {
		// The version of a foreign program is in the record and may change.
		versionKnown, p = false, &program{build: l.Build}
	}
	switch {
	case versionKnown && l.Version != p.version || l.Host != r.Host:
		return &exit.UsageError{Err: remedy.Errorf("%s contains launches of this sweep by another gobench or machine (%s on %s, this is %s on %s): name another file with %v",
			r.File, l.Version, l.Host, p.version, r.Host, remedy.Named("output"))}
	case l.Build != "" && l.Build != p.build: // old rows have no build
		return &exit.UsageError{Err: remedy.Errorf("the program has changed since %s was begun: the file contains launches of this sweep by build %s of version %s, this is build %s; name another file with %v, and compare the two",
			r.File, l.Build, l.Version, p.build, remedy.Named("output"))}
	}
	return nil
}
