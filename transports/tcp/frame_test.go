package tcp

import (
	"bytes"
	"testing"

	"gobench/device/protocol"
	"gobench/internal/fuzzing"
)

func FuzzDecodeFrame(t *testing.F) {
	f := fuzzing.New(t)
	f.Add(frame{framePacket, 17, protocol.Header{W0: 1, W1: 2, W2: 3}}.encode(make([]byte, wideSize)))
	f.Add(bytes.Repeat([]byte{0xff}, frameSize))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < frameSize {
			return
		}
		got, err := decodeFrame(b)
		if err != nil {
			return
		}
		again := got.encode(make([]byte, wideSize))[:frameSize]
		if !bytes.Equal(again, b[:frameSize]) {
			t.Fatalf("%x was read as %+v, which is written as %x", b[:frameSize], got, again)
		}
	})
}

func TestDecodeFrameRefuses(t *testing.T) {
	for name, f := range map[string]frame{
		"kind 0":              {kind: 0},
		"unknown kind":        {kind: frameEnd + 1},
		"packet too long":     {kind: framePacket, size: packetLimit + 1},
		"put with a size":     {kind: framePut, size: 1},
		"long and empty":      {kind: frameLong},
		"reserved bytes used": {kind: framePacket, size: 1},
	} {
		b := f.encode(make([]byte, wideSize))
		if name == "reserved bytes used" {
			b[2] = 1
		}
		if got, err := decodeFrame(b); err == nil {
			t.Errorf("%s: accepted as %+v", name, got)
		}
	}
}
