package protocol

import (
	"testing"

	"gobench/device"
	"gobench/internal/fuzzing"
)

// FuzzRaw feeds a raw channel packets that no correct peer sends. It may lose the peer, and must do
// nothing else.
func FuzzRaw(t *testing.F) {
	f := fuzzing.New(t)
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0, 0})
	for k := kindEager; k <= kindEnd; k++ {
		b := make([]byte, HeaderSize+1)
		header(k, 0, 1, 1, 1<<32).Encode(b)
		f.Add(append(b, make([]byte, 60)...))
	}
	options, err := device.ParseOptions(Options(), nil)
	if err != nil {
		f.Fatal(err)
	}
	out, guard := make([]byte, 1000), make([]byte, 9000)
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > 2048 {
			return
		}
		b := newBoard(2, 8)
		d, err := NewRaw(&boardWire{board: b}, Config{Transport: "board", Size: 2, LocalSize: 1, Options: options})
		if err != nil {
			t.Fatal(err)
		}
		clear(guard)
		d.Irecv(guard[:3000:3000], 1, 1, 1)
		d.Irecv(guard[4000:4010:4010], 1, 1, 1)
		d.Isend(out[:100], 1, 1, 1)
		d.Isend(out, 1, 1, 1)
		for len(script) > HeaderSize {
			n := min(int(script[HeaderSize]), len(script)-HeaderSize-1)
			d.Packet(1, DecodeHeader(script), script[HeaderSize+1:HeaderSize+1+n])
			script = script[HeaderSize+1+n:]
			if len(b.queues[1][0]) == b.room {
				b.queues[1][0] = nil
			}
		}
		for i, c := range guard {
			if c != 0 && !(i < 3000 || i >= 4000 && i < 4010) {
				t.Fatalf("byte %d outside every buffer was written", i)
			}
		}
		d.Failed(1, "end of the test")
		live := d.requests.live
		for r := d.requests.done.head; r != nil; r = r.next {
			live--
		}
		if live != 0 {
			t.Fatalf("%d requests outlive their peer", live)
		}
	})
}
