// Package unpack reads compressed files. What they are is told by their first bytes, so that
// standard input and files without a suffix are read as well.
package unpack

import (
	"bufio"
	"compress/bzip2"
	"compress/gzip"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// maxWindow bounds the memory of a decoder; zstd writes larger windows only on request (--long=28).
const maxWindow = 128 << 20

// Reader returns the bytes of r, decompressed if gzip (RFC 1952), bzip2 or zstd (RFC 8878)
// compressed them; packed reports whether one of them did. A file that ends too early ends with
// io.ErrUnexpectedEOF. It returns an error for a damaged header.
func Reader(r *bufio.Reader) (plain io.Reader, packed bool, err error) {
	magic, _ := r.Peek(4) // fewer of a shorter file
	switch begin := string(magic); {
	case strings.HasPrefix(begin, "\x1f\x8b"):
		plain, err = gzip.NewReader(r)
	case strings.HasPrefix(begin, "BZh"):
		plain = bzip2.NewReader(r)
	case begin == "\x28\xb5\x2f\xfd":
		plain, err = zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	default:
		return r, false, nil
	}
	return plain, true, err
}

// Stem returns a path without the suffix of a compressed file.
func Stem(path string) string {
	for _, suffix := range []string{".gz", ".bz2", ".zst"} {
		if stem, ok := strings.CutSuffix(path, suffix); ok {
			return stem
		}
	}
	return path
}
