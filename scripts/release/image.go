package main

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// nobody is the user of containers: one that no host has, as in the images of distroless.
const nobody = "65532:65532"

// An image is the program of an image for a processor, and its bill of materials.
type image struct {
	arch, program string
	bill          []byte
}

// writeImage writes an image for several processors as a tar file of the layout that the Open
// Container Initiative specifies (image-spec, image-layout.md). The bills of materials are
// artifacts whose subject is the image of their processor.
func (s *source) writeImage(file string, programs []image, shared []entry) error {
	dir, err := os.MkdirTemp("", "image")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	var bills []v1.Image
	for _, p := range programs {
		built, err := s.image(p, shared)
		if err != nil {
			return err
		}
		platform := v1.Platform{OS: "linux", Architecture: p.arch}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: built, Descriptor: v1.Descriptor{Platform: &platform}})
		bill, err := billOf(built, p.bill)
		if err != nil {
			return err
		}
		bills = append(bills, bill)
	}
	at, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	if err := at.AppendIndex(index, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": s.version})); err != nil {
		return err
	}
	for _, bill := range bills {
		if err := at.AppendImage(bill); err != nil {
			return err
		}
	}
	return s.writeLayout(file, dir)
}

// image returns the image of one processor: the program and the licences, nothing else.
func (s *source) image(p image, shared []entry) (v1.Image, error) {
	entries := []entry{{"usr/bin/gobench", p.program, 0o755}}
	for _, e := range shared {
		if name := filepath.Base(e.path); name == "LICENSE" || name == "NOTICE" {
			entries = append(entries, entry{"usr/share/licenses/gobench/" + name, e.from, 0o644})
		}
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.path, b.path) })
	var b bytes.Buffer
	if err := writeTar(&b, "", entries, s.time); err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil },
		tarball.WithMediaType(types.OCILayer), tarball.WithCompressionLevel(9))
	if err != nil {
		return nil, err
	}
	base := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	img, err := mutate.Append(base, mutate.Addendum{Layer: layer, History: v1.History{Created: v1.Time{Time: s.time}, CreatedBy: "make release"}})
	if err != nil {
		return nil, err
	}
	return mutate.ConfigFile(img, s.config(img, p.arch))
}

// config returns the configuration of an image, with the layers of img.
func (s *source) config(img v1.Image, arch string) *v1.ConfigFile {
	old, err := img.ConfigFile()
	if err != nil {
		panic(err) // it lies in memory
	}
	config := old.DeepCopy()
	config.OS, config.Architecture, config.Created = "linux", arch, v1.Time{Time: s.time}
	config.Config = v1.Config{
		User: nobody, WorkingDir: "/", Entrypoint: []string{"/usr/bin/gobench"}, Env: []string{"PATH=/usr/bin"},
		Labels: map[string]string{
			"org.opencontainers.image.title":       "gobench",
			"org.opencontainers.image.description": summary,
			"org.opencontainers.image.version":     s.version,
			"org.opencontainers.image.revision":    s.commit,
			"org.opencontainers.image.licenses":    "Apache-2.0",
		},
	}
	return config
}

// billOf returns the artifact with the bill of materials of an image.
func billOf(of v1.Image, bill []byte) (v1.Image, error) {
	const media = types.MediaType("application/vnd.cyclonedx+json")
	digest, err := of.Digest()
	if err != nil {
		return nil, err
	}
	size, err := of.Size()
	if err != nil {
		return nil, err
	}
	artifact := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), media)
	artifact, err = mutate.Append(artifact, mutate.Addendum{Layer: static.NewLayer(bill, media)})
	if err != nil {
		return nil, err
	}
	subject := v1.Descriptor{MediaType: types.OCIManifestSchema1, Digest: digest, Size: size}
	return mutate.Subject(artifact, subject).(v1.Image), nil
}

// writeLayout writes the directory of a layout as a tar file.
func (s *source) writeLayout(file, dir string) error {
	var entries []entry
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		entries = append(entries, entry{filepath.ToSlash(name), path, 0o644})
		return err
	})
	if err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := writeTar(f, "", entries, s.time); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
