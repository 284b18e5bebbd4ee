package exchange

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
	WriteBlobs(w, blobs)
	writeLost(w, 3, strings.Repeat("x", MaxCause+1))
	writeBlob(w, frameBye, nil)

	kind, length, err := ReadHeader(&stream)
	if kind != FrameBlobs || err != nil {
		t.Fatal(kind, err)
	}
	got, err := ReadBlobs(&stream, len(blobs), length)
	if err != nil || !slices.EqualFunc(got, blobs, bytes.Equal) {
		t.Errorf("blobs come back differently, %v", err)
	}
	kind, length, err = ReadHeader(&stream)
	if kind != FrameLost || err != nil {
		t.Fatal(kind, err)
	}
	rank, cause, err := readLost(&stream, length)
	if rank != 3 || len(cause) != MaxCause || err != nil {
		t.Errorf("rank %d, cause of %d bytes, %v", rank, len(cause), err)
	}
	kind, length, err = ReadHeader(&stream)
	if kind != frameBye || length != 0 || err != nil || stream.Len() != 0 {
		t.Error(kind, length, err, stream.Len())
	}
}

// Whatever arrives, reading it ends, in an error or in blobs that were there, and
// takes no memory for bytes that were only announced.
func FuzzFrames(t *testing.F) {
	f := fuzzing.New(t)
	var stream bytes.Buffer
	WriteBlobs(bufio.NewWriter(&stream), [][]byte{[]byte("one"), {}, []byte("three")})
	f.Add(stream.Bytes())
	stream.Reset()
	writeLost(bufio.NewWriter(&stream), 1, "cause")
	f.Add(stream.Bytes())
	f.Add(binary.LittleEndian.AppendUint64(nil, 1<<63|uint64(FrameBlobs)))
	f.Add(append(binary.LittleEndian.AppendUint64(nil, 1<<52|uint64(FrameBlobs)), 0xff, 0xff, 0x0f, 0))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := bytes.NewReader(data)
		kind, length, err := ReadHeader(r)
		if err != nil {
			return
		}
		switch kind {
		case FrameBlobs:
			blobs, err := ReadBlobs(r, 3, length)
			if err != nil {
				return
			}
			var again bytes.Buffer
			WriteBlobs(bufio.NewWriter(&again), blobs)
			if !bytes.HasPrefix(data, again.Bytes()) {
				t.Errorf("%q is read as %q", data, blobs)
			}
		case FrameLost:
			if _, cause, err := readLost(r, length); err == nil && len(cause) > MaxCause {
				t.Errorf("cause of %d bytes", len(cause))
			}
		default:
			if body, err := ReadBody(r, kind, length, MaxBlob); err == nil && len(body) != length {
				t.Errorf("%d bytes of %d", len(body), length)
			}
		}
	})
}
