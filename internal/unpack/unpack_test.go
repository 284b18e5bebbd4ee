package unpack

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// bzipped is the text "rows" and a line feed, compressed by bzip2 1.0.8.
const bzipped = "425a68393141592653590b7041f8000001418000100000988020002186819a00bb71772453850900b7041f80"

func zipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text)
	z.Close()
	return b.String()
}

func zstandard(t *testing.T, text string) string {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(z.EncodeAll([]byte(text), nil))
}

func TestReader(t *testing.T) {
	bz, err := hex.DecodeString(bzipped)
	if err != nil {
		t.Fatal(err)
	}
	for name, packed := range map[string]string{"gzip": zipped("rows\n"), "zstd": zstandard(t, "rows\n"), "bzip2": string(bz), "plain": "rows\n"} {
		r, is, err := Reader(bufio.NewReader(strings.NewReader(packed)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		text, err := io.ReadAll(r)
		if string(text) != "rows\n" || err != nil || is != (name != "plain") {
			t.Errorf("%s: %q, compressed %v, %v", name, text, is, err)
		}
	}
	long := strings.Repeat("rows of many bytes that differ: 1, 2, 3\n", 1000)
	for name, packed := range map[string]string{"gzip": zipped(long), "zstd": zstandard(t, long)} {
		r, _, err := Reader(bufio.NewReader(strings.NewReader(packed[:len(packed)-9])))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(r); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s, torn: %v", name, err)
		}
	}
	if _, _, err := Reader(bufio.NewReader(strings.NewReader("\x1f\x8bxxxxxxxxxxxxxxx"))); err == nil {
		t.Error("a damaged header is read")
	}
}

func TestStem(t *testing.T) {
	for path, want := range map[string]string{"a.jsonl.zst": "a.jsonl", "a.jsonl.gz": "a.jsonl", "a.log.bz2": "a.log", "a.jsonl": "a.jsonl"} {
		if got := Stem(path); got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
}
