package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/apk" // registers the formats
	_ "github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

const (
	maintainer = "gobench authors <gobench@example.org>"
	summary    = "measures how fast processes communicate"
	about      = "gobench measures latency, bandwidth and message rate between processes, over\n" +
		"shared memory, TCP and RDMA networks: point-to-point, collectives and parallel\n" +
		"kernels. Every value has an interval between launches."
)

// packages writes the packages of a target. Alpine has another C library than full builds need.
func (s *source) packages(t target, contents []entry, out string) error {
	formats := []string{"deb", "rpm", "apk"}
	if t.full {
		formats = formats[:2]
	}
	dir, err := os.MkdirTemp("", "packages")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	log, err := chglog(s.changes, maintainer)
	if err != nil {
		return err
	}
	changelog := filepath.Join(dir, "changelog.yaml")
	if err := os.WriteFile(changelog, log, 0o666); err != nil {
		return err
	}
	for _, format := range formats {
		info := &nfpm.Info{
			Name: t.name(), Arch: t.arch, Platform: "linux", Version: s.version, Release: "1",
			Section: "utils", Priority: "optional", Maintainer: maintainer, License: "Apache-2.0",
			Description: summary + "\n" + about, Changelog: changelog, MTime: s.time,
			Overridables: nfpm.Overridables{
				Umask: 0o022,
				RPM:   nfpm.RPM{BuildHost: "localhost", Summary: summary, Compression: "zstd", Packager: maintainer},
				Deb:   nfpm.Deb{Compression: "xz"},
			},
		}
		if t.full {
			info.Depends = []string{map[string]string{"deb": "libc6 (>= 2.34)", "rpm": "glibc >= 2.34"}[format]}
		}
		if info.Contents, err = s.packaged(t, format, contents, dir); err != nil {
			return err
		}
		packager, err := nfpm.Get(format)
		if err != nil {
			return err
		}
		info = nfpm.WithDefaults(info)
		if err := nfpm.PrepareForPackager(info, format); err != nil {
			return fmt.Errorf("%v, %s: %w", t, format, err)
		}
		f, err := os.Create(filepath.Join(out, packager.ConventionalFileName(info)))
		if err != nil {
			return err
		}
		if err := packager.Package(info, f); err != nil {
			f.Close()
			return fmt.Errorf("%v, %s: %w", t, format, err)
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}

// packaged returns the contents of a package in a format, with the files that its distribution
// demands: compressed manual pages, the licence where it looks for it, and for Debian the reasons
// why what lintian finds is right.
func (s *source) packaged(t target, format string, contents []entry, dir string) (files.Contents, error) {
	doc := "share/doc/" + t.name() + "/"
	var list files.Contents
	add := func(path, from string, mode os.FileMode) {
		list = append(list, &files.Content{Source: from, Destination: "/usr/" + path, FileInfo: &files.ContentFileInfo{Mode: mode, MTime: s.time}})
	}
	for _, e := range contents {
		switch {
		case strings.HasPrefix(e.path, "share/man/"):
			packed := filepath.Join(dir, filepath.Base(e.path)+".gz")
			if err := compress(packed, e.from, s.time); err != nil {
				return nil, err
			}
			add(e.path+".gz", packed, e.mode)
		case e.path == doc+"LICENSE" && format == "deb":
			copyright := filepath.Join(dir, "copyright")
			if err := s.writeCopyright(copyright, contents, doc); err != nil {
				return nil, err
			}
			add(doc+"copyright", copyright, 0o644)
		case e.path == doc+"NOTICE" && format == "deb": // part of copyright
		case (e.path == doc+"LICENSE" || e.path == doc+"NOTICE") && format != "deb":
			add("share/licenses/"+t.name()+"/"+filepath.Base(e.path), e.from, e.mode)
		case e.path == doc+"CHANGELOG.md" && format == "deb": // changelog.Debian.gz, which nfpm writes
		default:
			add(e.path, e.from, e.mode)
		}
	}
	if format == "deb" {
		reasons := filepath.Join(dir, "overrides")
		// Go programs are linked statically; the full build links the C library alone.
		text := fmt.Sprintf("# Go links its packages into the program.\n%s: statically-linked-binary [usr/bin/%s]\n", t.name(), t.name())
		if t.full {
			text = fmt.Sprintf("# Manual pages are in the package gobench.\n%s: no-manual-page [usr/bin/%s]\n", t.name(), t.name())
		}
		if err := os.WriteFile(reasons, []byte(text), 0o666); err != nil {
			return nil, err
		}
		add("share/lintian/overrides/"+t.name(), reasons, 0o644)
	}
	return list, nil
}

// compress writes a file compressed by gzip, without its name and time.
func compress(to, from string, when time.Time) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	z.Write(content) // to memory: never fails
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(to, b.Bytes(), 0o644)
}

// writeCopyright writes the file copyright of Debian: the licence of gobench, which Debian has as a
// file of its own, and those of the modules.
func (s *source) writeCopyright(to string, contents []entry, doc string) error {
	var b strings.Builder
	b.WriteString("Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: gobench\n\n")
	b.WriteString("Files: *\nCopyright: the authors of gobench\nLicense: Apache-2.0\n On Debian systems, the text of this license is in\n /usr/share/common-licenses/Apache-2.0.\n\n")
	b.WriteString("Comment: the program contains modules with these licences.\n")
	for _, e := range contents {
		if e.path != doc+"NOTICE" {
			continue
		}
		notice, err := os.ReadFile(e.from)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(notice)) {
			if line = strings.TrimRight(line, " \t\r\n"); line == "" {
				line = "."
			}
			b.WriteString(" " + line + "\n")
		}
	}
	return os.WriteFile(to, []byte(b.String()), 0o644)
}
