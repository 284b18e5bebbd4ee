package record_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"gobench/record"
)

// Files that gzip or zstd compressed are read, also from directories. One that is cut says so.
func TestCompressedFiles(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain.txt")
	write(t, plain, results("1", 1, 8, 16, 32))
	rows, err := os.ReadFile(plain)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(rows)
	z.Close()
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"a.jsonl.gz": packed.Bytes(), "named-otherwise": packed.Bytes(), "cut.gz": packed.Bytes()[:packed.Len()-10]} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "z.jsonl.zst"), encoder.EncodeAll(rows, nil), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{filepath.Join(dir, "a.jsonl.gz"), filepath.Join(dir, "named-otherwise"), dir, other} {
		if f, err := record.LoadResults(name); err != nil || len(f.Points) != 3 || len(f.Warnings) != 0 {
			t.Errorf("%s: %d points, %q, %v", name, len(f.Points), f.Warnings, err)
		}
	}
	_, err = record.LoadResults(filepath.Join(dir, "cut.gz"))
	if err == nil || !strings.HasSuffix(err.Error(), "cut.gz: the compressed file is incomplete: rows are missing") {
		t.Errorf("a cut file: %v", err)
	}
}
