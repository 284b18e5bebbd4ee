package bench

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// Every single wrong byte of a frame is noticed, and the frame is read
// nevertheless.
func TestFramesSurviveOneWrongByte(t *testing.T) {
	body := []byte(`{"verb":4,"samples":100}`)
	var clean [2 * headSize]byte
	putHead(clean[:], 77, body)
	if h, wrong, ok := getHead(clean[:]); !ok || wrong != -1 || h.round != 77 || h.length != len(body) {
		t.Fatalf("a clean head reads as %+v, wrong %d, ok %t", h, wrong, ok)
	}
	for i := range clean {
		b := clean
		b[i] ^= 0x40
		h, wrong, ok := getHead(b[:])
		if !ok || wrong != i%headSize || h.round != 77 || h.length != len(body) {
			t.Errorf("byte %d wrong: head %+v, wrong %d, ok %t", i, h, wrong, ok)
		}
	}
	h, _, _ := getHead(clean[:])
	doubled := append(bytes.Clone(body), body...)
	for i := range doubled {
		b := bytes.Clone(doubled)
		b[i] ^= 1
		got, wrong, ok := wholeCopy(b, h.sum)
		if !ok || wrong != i%len(body) || !bytes.Equal(got, body) {
			t.Errorf("byte %d wrong: body %q, wrong %d, ok %t", i, got, wrong, ok)
		}
	}
	doubled[0] ^= 1
	doubled[len(body)] ^= 2
	if _, _, ok := wholeCopy(doubled, h.sum); ok {
		t.Error("a body with both copies wrong is taken for right")
	}
}

// A head that is read, of whatever bytes, is one that is written like one of its copies.
func FuzzHead(f *testing.F) {
	var clean [2 * headSize]byte
	putHead(clean[:], 77, []byte("body"))
	f.Add(clean[:])
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) != 2*headSize {
			return
		}
		h, wrong, ok := getHead(b)
		if wrong >= headSize || (wrong < 0) != bytes.Equal(b[:headSize], b[headSize:]) {
			t.Errorf("%x: byte %d is wrong", b, wrong)
		}
		if !ok {
			return
		}
		got := binary.LittleEndian.AppendUint32(nil, headMagic)
		got = binary.LittleEndian.AppendUint64(got, h.round)
		got = binary.LittleEndian.AppendUint32(got, uint32(h.length))
		got = binary.LittleEndian.AppendUint32(got, h.sum)
		if !bytes.Contains(b, got) {
			t.Errorf("%x is read as %+v", b, h)
		}
	})
}
