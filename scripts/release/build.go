package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// fullTags are the build tags of all transports over libraries, as in the Makefile.
const fullTags = "verbs mpi gni mxm ucx ofi pmix"

// compilers are the C compilers for the processors of full builds, under their names in Debian.
var compilers = map[string]string{"amd64": "x86_64-linux-gnu-gcc", "arm64": "aarch64-linux-gnu-gcc"}

// build builds the program of a target into a directory and returns its path.
func (s *source) build(t target, dir string) (string, error) {
	env := []string{"GOOS=linux", "GOARCH=" + t.arch, "CGO_ENABLED=0", "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0"}
	// The setting with which vector loops are compiled, if this processor has some.
	vectors, err := output(s.dir, env, "scripts/vectors.sh")
	if err != nil {
		return "", err
	}
	if vectors == "" && (t.arch == "amd64" || t.arch == "arm64") {
		return "", fmt.Errorf("%v would have no vector loops: build it with the toolchain that go.mod names", t)
	}
	env = append(env, vectors)
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags", s.stamp(), "-o", filepath.Join(dir, t.name())}
	if t.full {
		cc, err := exec.LookPath(compilers[t.arch])
		if err != nil {
			return "", fmt.Errorf("%v needs %s: %w", t, compilers[t.arch], err)
		}
		env = append(env, "CGO_ENABLED=1", "CC="+cc, "CGO_CFLAGS=-O2", "CGO_LDFLAGS=-s")
		if _, err := output(s.dir, env, "scripts/mpi.sh"); err != nil {
			return "", err
		}
		args = append(args, "-tags", fullTags)
	}
	if _, err := output(s.dir, env, "go", append(args, "./cmd/gobench")...); err != nil {
		return "", err
	}
	return filepath.Join(dir, t.name()), nil
}

// stamp returns the flags of the linker: no symbols, no identity of the build, and the version.
func (s *source) stamp() string {
	return strings.Join([]string{"-s -w -buildid=",
		"-X", s.module + "/internal/launch/host.version=" + s.version,
		"-X", s.module + "/internal/launch/host.commit=" + s.commit}, " ")
}

// own builds the static program of this machine, which writes the manual pages and the completions
// for shells.
func (s *source) own(dir string) (string, error) {
	return s.build(target{arch: runtime.GOARCH}, dir)
}
