package launch

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"gobench/internal/fuzzing"
)

func TestFrames(t *testing.T) {
	var stream bytes.Buffer
	w := bufio.NewWriter(&stream)
	blobs := [][]byte{[]byte("a"), {}, bytes.Repeat([]byte("b"), 100<<10)}
	writeBlobs(w, blobs)
	writeLost(w, 3, strings.Repeat("x", maxCause+1))
	writeBlob(w, frameBye, nil)

	kind, length, err := readHeader(&stream)
	if kind != frameBlobs || err != nil {
		t.Fatal(kind, err)
	}
	got, err := readBlobs(&stream, len(blobs), length)
	if err != nil || !slices.EqualFunc(got, blobs, bytes.Equal) {
		t.Errorf("blobs come back differently, %v", err)
	}
	kind, length, err = readHeader(&stream)
	if kind != frameLost || err != nil {
		t.Fatal(kind, err)
	}
	rank, cause, err := readLost(&stream, length)
	if rank != 3 || len(cause) != maxCause || err != nil {
		t.Errorf("rank %d, cause of %d bytes, %v", rank, len(cause), err)
	}
	kind, length, err = readHeader(&stream)
	if kind != frameBye || length != 0 || err != nil || stream.Len() != 0 {
		t.Error(kind, length, err, stream.Len())
	}
}

// Whatever arrives, reading it ends, in an error or in blobs that were there, and
// takes no memory for bytes that were only announced.
func FuzzFrames(t *testing.F) {
	f := fuzzing.New(t)
	var stream bytes.Buffer
	writeBlobs(bufio.NewWriter(&stream), [][]byte{[]byte("one"), {}, []byte("three")})
	f.Add(stream.Bytes())
	stream.Reset()
	writeLost(bufio.NewWriter(&stream), 1, "cause")
	f.Add(stream.Bytes())
	f.Add(binary.LittleEndian.AppendUint64(nil, 1<<63|uint64(frameBlobs)))
	f.Add(append(binary.LittleEndian.AppendUint64(nil, 1<<52|uint64(frameBlobs)), 0xff, 0xff, 0x0f, 0))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := bytes.NewReader(data)
		kind, length, err := readHeader(r)
		if err != nil {
			return
		}
		switch kind {
		case frameBlobs:
			blobs, err := readBlobs(r, 3, length)
			if err != nil {
				return
			}
			var again bytes.Buffer
			writeBlobs(bufio.NewWriter(&again), blobs)
			if !bytes.HasPrefix(data, again.Bytes()) {
				t.Errorf("%q is read as %q", data, blobs)
			}
		case frameLost:
			if _, cause, err := readLost(r, length); err == nil && len(cause) > maxCause {
				t.Errorf("cause of %d bytes", len(cause))
			}
		default:
			if body, err := readBody(r, kind, length, MaxBlob); err == nil && len(body) != length {
				t.Errorf("%d bytes of %d", len(body), length)
			}
		}
	})
}
