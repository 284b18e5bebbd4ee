package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"

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
				Deb:   nfpm.Deb{Compression: "gzip"}, // xz takes minutes in Go
			},
		}
		if t.full {
			info.Recommends = []string{"gobench"}
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

// packaged returns the contents of a package in a format, at the paths that its distribution
// demands: compressed manual pages, the licence where it looks for it, and for Debian the reasons
// why what lintian finds is right. What all builds have in common is in the package gobench, so
// that both packages can be installed.
func (s *source) packaged(t target, format string, contents []entry, dir string) (files.Contents, error) {
	var list files.Contents
	add := func(path, from string, mode os.FileMode) {
		list = append(list, &files.Content{Source: from, Destination: "/usr/" + path, FileInfo: &files.ContentFileInfo{Mode: mode, MTime: s.time}})
	}
	text := func(path, name, content string) error {
		file := filepath.Join(dir, name)
		add(path, file, 0o644)
		return os.WriteFile(file, []byte(content), 0o666)
	}
	doc, licences := "share/doc/"+t.name()+"/", "share/licenses/"+t.name()+"/"
	for _, e := range contents {
		base := filepath.Base(e.path)
		switch {
		case e.path == "bin/"+t.name():
			add(e.path, e.from, e.mode)
		case base == "NOTICE" && format == "deb":
			add(doc+base, e.from, e.mode)
		case base == "LICENSE" && format == "deb":
			if err := text(doc+"copyright", "copyright", copyright(t)); err != nil {
				return nil, err
			}
		case base == "LICENSE" || base == "NOTICE":
			add(licences+base, e.from, e.mode)
		case base == "CHANGELOG.md" && format == "deb", t.full: // nfpm writes changelog.Debian.gz
		case strings.HasPrefix(e.path, "share/man/"):
			packed := filepath.Join(dir, base+".gz")
			if err := compress(packed, e.from); err != nil {
				return nil, err
			}
			add(e.path+".gz", packed, e.mode)
		case format == "deb":
			add(strings.Replace(e.path, "share/zsh/site-functions/", "share/zsh/vendor-completions/", 1), e.from, e.mode)
		default:
			add(e.path, e.from, e.mode)
		}
	}
	if format != "deb" {
		return list, nil
	}
	why := fmt.Sprintf("# Go links its packages into the program.\n%s: statically-linked-binary [usr/bin/%s]\n", t.name(), t.name())
	if t.full {
		why = fmt.Sprintf("# The package gobench has the manual pages.\n%s: no-manual-page [usr/bin/%[1]s]\n", t.name())
		why += fmt.Sprintf("# Position-independent code is slower, and a benchmark has no input of strangers while it measures.\n%s: hardening-no-pie [usr/bin/%[1]s]\n", t.name())
	}
	why += fmt.Sprintf("# It is not a package of Debian, so no bug report asks for it.\n%s: initial-upload-closes-no-bugs\n", t.name())
	return list, text("share/lintian/overrides/"+t.name(), "overrides", why)
}

// copyright returns the file copyright of a Debian package. The texts of the licences of modules
// are in NOTICE; that of gobench is in every Debian system.
func copyright(t target) string {
	return `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: gobench
Comment: The program contains modules of others. Their names, versions and
 licences are in the file /usr/share/doc/` + t.name() + `/NOTICE.

Files: *
Copyright: 2026 the authors of gobench
License: Apache-2.0

License: Apache-2.0
 On Debian systems, the text of this license is in the file
 /usr/share/common-licenses/Apache-2.0.
`
}

// compress writes a file compressed by gzip, without its name and time.
func compress(to, from string) error {
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
