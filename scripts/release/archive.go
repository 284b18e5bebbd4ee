package main

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"path"
	"time"

	"github.com/klauspost/compress/zstd"
)

// writeArchive writes a tar file compressed by zstd, whose entries lie in the directory prefix.
func writeArchive(file, prefix string, entries []entry, when time.Time) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	// One thread: the borders of blocks do not depend on the number of processors.
	z, err := zstd.NewWriter(f, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		return err
	}
	return errors.Join(writeTar(z, prefix, entries, when), z.Close(), f.Close())
}

// writeTar writes entries and the directories above them as files of root, all of the same time.
func writeTar(w io.Writer, prefix string, entries []entry, when time.Time) error {
	t := tar.NewWriter(w)
	known := map[string]bool{".": true, "/": true}
	var directory func(name string) error
	directory = func(name string) error {
		if known[name] {
			return nil
		}
		known[name] = true
		if err := directory(path.Dir(name)); err != nil {
			return err
		}
		return t.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: 0o755, ModTime: when, Format: tar.FormatUSTAR})
	}
	for _, e := range entries {
		name := path.Join(prefix, e.path)
		if err := directory(path.Dir(name)); err != nil {
			return err
		}
		content, err := os.ReadFile(e.from)
		if err != nil {
			return err
		}
		if err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(content)), Mode: int64(e.mode), ModTime: when, Format: tar.FormatUSTAR}); err != nil {
			return err
		}
		if _, err := t.Write(content); err != nil {
			return err
		}
	}
	return t.Close()
}
