package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aead.dev/minisign"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	"github.com/klauspost/compress/zstd"
)

var when = time.Unix(1795723481, 0).UTC()

// write writes a file below a new directory and returns its path.
func write(t *testing.T, name, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestChangesAreRead(t *testing.T) {
	changes, err := parseChanges("# Changes\n\nText.\n\n## v1.1.0, 2026-12-24\n\n- One `code`.\n- Two.\n\n## v1.0.0, 2026-11-26\n\n- Three.\n")
	if err != nil {
		t.Fatal(err)
	}
	if len(changes) != 2 || changes[0].version != "v1.1.0" || !slices.Equal(changes[0].items, []string{"One code.", "Two."}) {
		t.Errorf("%+v", changes)
	}
	log, err := chglog(changes, "a <b@example.org>")
	if err != nil || !strings.Contains(string(log), "semver: 1.1.0-1\n  date: \"2026-12-24T00:00:00Z\"\n") {
		t.Errorf("%v\n%s", err, log)
	}
	for text, want := range map[string]string{
		"":                             "has no entry",
		"## v1.0.0\n- x\n":             "is not of the form",
		"## v1.0.0, 2026-13-01\n- x\n": "month out of range",
		"## v1.0.0, 2026-11-26\n":      "entry of v1.0.0 is empty",
		"## v1.0.0, 2026-11-26\nx\n":   "is no item of a list",
		"## v1.0.0, 2026-11-26\n- " + strings.Repeat("x", 80): "more than 76 columns",
	} {
		if _, err := parseChanges(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// The change log of the repository can be released.
func TestTheChangeLogIsValid(t *testing.T) {
	text, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	changes, err := parseChanges(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if !tag.MatchString(changes[0].version) {
		t.Errorf("%s is no version", changes[0].version)
	}
}

func TestArchivesDependOnContentAlone(t *testing.T) {
	var archives [][]byte
	for i := range 2 {
		entries := []entry{{"bin/gobench", write(t, "a", "program"), 0o755}, {"share/doc/NOTICE", write(t, "b", "text"), 0o644}}
		os.Chtimes(entries[0].from, when.Add(time.Duration(i)*time.Hour), when)
		file := filepath.Join(t.TempDir(), "x.tar.zst")
		if err := writeArchive(file, "gobench-v1", entries, when); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		archives = append(archives, content)
	}
	if !bytes.Equal(archives[0], archives[1]) {
		t.Error("the same content gave different archives")
	}
	z, err := zstd.NewReader(bytes.NewReader(archives[0]))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var names []string
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 0 || !h.ModTime.Equal(when) {
			t.Errorf("%s belongs to %d, of %v", h.Name, h.Uid, h.ModTime)
		}
		names = append(names, h.Name)
	}
	if want := []string{"gobench-v1/", "gobench-v1/bin/", "gobench-v1/bin/gobench", "gobench-v1/share/", "gobench-v1/share/doc/", "gobench-v1/share/doc/NOTICE"}; !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
}

// An image for two processors is valid, and the bill of materials of each names its image.
func TestImages(t *testing.T) {
	s := &source{version: "v1.0.0", commit: "abc", time: when}
	shared := []entry{{"share/doc/gobench/NOTICE", write(t, "NOTICE", "text"), 0o644}}
	file := filepath.Join(t.TempDir(), "oci.tar")
	programs := []image{{"amd64", write(t, "p", "one"), []byte(`{}`)}, {"arm64", write(t, "p", "two"), []byte(`{ }`)}}
	if err := s.writeImage(file, programs, shared); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := output(dir, nil, "tar", "-xf", file); err != nil {
		t.Fatal(err)
	}
	index, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(index); err != nil {
		t.Error(err)
	}
	manifest, err := index.IndexManifest()
	if err != nil || len(manifest.Manifests) != 3 {
		t.Fatalf("%v, %+v", err, manifest)
	}
	both, err := index.ImageIndex(manifest.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	images, err := both.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	for i, arch := range []string{"amd64", "arm64"} {
		if got := images.Manifests[i].Platform.Architecture; got != arch {
			t.Errorf("image %d is for %s, want %s", i, got, arch)
		}
		bill, err := index.Image(manifest.Manifests[1+i].Digest)
		if err != nil {
			t.Fatal(err)
		}
		m, err := bill.Manifest()
		if err != nil || m.Subject == nil || m.Subject.Digest != images.Manifests[i].Digest {
			t.Errorf("%v: the bill of %s names %+v", err, arch, m.Subject)
		}
	}
}

func TestSumsAreSigned(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	public, secret, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := secret.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	if err := writeSums(dir, write(t, "key", string(text))); err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(dir, sumsFile))
	if err != nil || string(sums) != "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb  a\n" {
		t.Errorf("%v: %s", err, sums)
	}
	signature, err := os.ReadFile(filepath.Join(dir, sumsFile+".minisig"))
	if err != nil || !minisign.Verify(public, sums, signature) {
		t.Errorf("%v: the signature is not valid", err)
	}

	// The password of a key is in the environment. Its derivation takes a second and 1 GiB.
	if text, err = minisign.EncryptKey("secret", secret); err != nil {
		t.Fatal(err)
	}
	file := write(t, "key", string(text))
	t.Setenv("MINISIGN_PASSWORD", "secret")
	if read, err := readKey(file); err != nil || !read.Equal(secret) {
		t.Errorf("%v: the key is read as another one", err)
	}
	t.Setenv("MINISIGN_PASSWORD", "wrong")
	if _, err := readKey(file); err == nil || !strings.Contains(err.Error(), "MINISIGN_PASSWORD") {
		t.Errorf("a wrong password: %v", err)
	}
}

// A module whose terms nobody knows is not released.
func TestModulesNeedALicence(t *testing.T) {
	dir := filepath.Dir(write(t, "LICENCE.txt", "terms"))
	fonts := filepath.Join(dir, "fonts")
	if err := os.Mkdir(fonts, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(fonts, "OFL.txt"), []byte("terms"), 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := module{path: "m", dir: dir, packages: []string{fonts}}.licences()
	if err != nil || len(found) != 2 {
		t.Errorf("%v, %q", err, found)
	}
	if _, err := (module{path: "m", version: "v1", dir: t.TempDir()}).licences(); err == nil || !strings.Contains(err.Error(), "module m v1 has no file with a licence") {
		t.Errorf("%v", err)
	}
}

func TestChoose(t *testing.T) {
	chosen, err := choose("gobench-full/amd64,gobench/arm64")
	if err != nil || !slices.Equal(chosen, []target{{arch: "arm64"}, {arch: "amd64", full: true}}) {
		t.Errorf("%v, %v", chosen, err)
	}
	if _, err := choose("gobench/mips"); err == nil {
		t.Error("there is a build for mips")
	}
}
