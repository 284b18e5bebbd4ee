// Release builds the files of a release of gobench from the commit that is checked out: archives,
// packages of Debian, Red Hat and Alpine, an image for containers, the bill of materials, licences,
// check sums and their signature. The same commit gives the same bytes, wherever it is built by the
// same toolchain; only the signature has a time.
//
//	go -C scripts/release build -o ../../bin/release . && bin/release --version=v0.9.0
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A target is a build of the program for a processor: static, or full with every transport, which
// needs the C library.
type target struct {
	arch string // as Go names it
	full bool
}

// targets are the builds of a release.
var targets = []target{
	{arch: "amd64"}, {arch: "arm64"}, {arch: "riscv64"}, {arch: "ppc64le"},
	{arch: "amd64", full: true}, {arch: "arm64", full: true},
}

// name returns the name of the program and of its package.
func (t target) name() string {
	if t.full {
		return "gobench-full"
	}
	return "gobench"
}

func (t target) String() string { return t.name() + "/" + t.arch }

func main() {
	version := flag.String("version", "", "`TAG` of the release, such as v0.9.0; CHANGELOG.md has an entry of it")
	out := flag.String("out", "dist", "`DIRECTORY` of the files; it must be empty or absent")
	only := flag.String("only", "", "`LIST` of builds, such as gobench/amd64,gobench-full/amd64 (default: all)")
	key := flag.String("key", "", "`FILE` with the secret key of minisign; MINISIGN_PASSWORD has its password")
	flag.Parse()
	if err := release(*version, *out, *only, *key); err != nil {
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		os.Exit(1)
	}
}

func release(version, out, only, key string) error {
	chosen, err := choose(only)
	if err != nil {
		return err
	}
	out, err = filepath.Abs(out)
	if err != nil {
		return err
	}
	if left, err := os.ReadDir(out); err == nil && len(left) > 0 {
		return fmt.Errorf("%s has files already: remove them, or name another directory with --out", out)
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	src, err := checkOut(work, version)
	if err != nil {
		return err
	}
	shared, err := src.documents(filepath.Join(work, "shared"))
	if err != nil {
		return err
	}
	var programs []image
	for _, t := range chosen {
		fmt.Fprintf(os.Stderr, "release: %v\n", t)
		program, err := src.build(t, filepath.Join(work, t.name()+"-"+t.arch))
		if err != nil {
			return err
		}
		bill, err := src.bill(program)
		if err != nil {
			return err
		}
		entries := contents(t, program, shared)
		base := fmt.Sprintf("%s-%s-linux-%s", t.name(), version, t.arch)
		if err := os.WriteFile(filepath.Join(out, base+".cdx.json"), bill, 0o666); err != nil {
			return err
		}
		if err := writeArchive(filepath.Join(out, base+".tar.zst"), base, entries, src.time); err != nil {
			return err
		}
		if err := src.packages(t, entries, out); err != nil {
			return err
		}
		if !t.full {
			programs = append(programs, image{t.arch, program, bill})
		}
	}
	if len(programs) > 0 {
		if err := src.writeImage(filepath.Join(out, "gobench-"+version+"-oci.tar"), programs, shared); err != nil {
			return err
		}
	}
	return writeSums(out, key)
}

// choose returns the targets that a list names, all if it is empty.
func choose(list string) ([]target, error) {
	if list == "" {
		return targets, nil
	}
	var chosen []target
	for name := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(targets, func(t target) bool { return t.String() == name })
		if i < 0 {
			return nil, fmt.Errorf("--only: there is no build %q, want one of %v", name, targets)
		}
		chosen = append(chosen, targets[i])
	}
	slices.SortStableFunc(chosen, func(a, b target) int { return cmp.Compare(slices.Index(targets, a), slices.Index(targets, b)) })
	return chosen, nil
}
