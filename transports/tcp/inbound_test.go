package tcp

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"gobench/device/protocol"
)

// record is a Sink that writes down what it is told.
type record struct {
	packets   []string
	completed map[uint64]error
	failed    map[int]string
}

func (r *record) Packet(src int, h protocol.Header, data []byte) {
	r.packets = append(r.packets, fmt.Sprintf("%d %v %x", src, h, data))
}

func (r *record) Completed(token uint64, err error) {
	if r.completed == nil {
		r.completed = map[uint64]error{}
	}
	r.completed[token] = err
}

func (r *record) Failed(peer int, cause string) {
	if r.failed == nil {
		r.failed = map[int]string{}
	}
	r.failed[peer] = cause
}

// take feeds a stream in pieces, as reads would.
func take(stream []byte, piece func() int) (sink *record, target []byte, err error) {
	var table regions
	target = make([]byte, 100)
	table.add(target)
	in, sink := &inbound{}, &record{}
	for len(stream) > 0 && err == nil {
		fill, tail := in.target(&table)
		n := min(max(1, piece()), len(stream), len(fill)+len(tail))
		k := copy(fill, stream[:n])
		copy(tail, stream[k:n])
		stream = stream[n:]
		err = in.deliver(n, 3, &table, sink)
	}
	return sink, target, err
}

// FuzzInbound checks that any stream is either understood or refused, and that
// it makes no difference in which pieces it arrives.
func FuzzInbound(f *testing.F) {
	var stream []byte
	add := func(fr frame, data []byte) {
		b := make([]byte, frameSize)
		fr.encode(b)
		stream = append(append(stream, b...), data...)
	}
	add(frame{framePacket, 5, protocol.Header{W0: 9}}, []byte("hello"))
	add(frame{kind: framePut, header: putHeader(1<<32, 10, 20)}, bytes.Repeat([]byte{7}, 20))
	add(frame{framePacket, 0, protocol.Header{W2: 1}}, nil)
	f.Add(stream, uint64(1))
	add(frame{framePacket, packetLimit, protocol.Header{}}, make([]byte, packetLimit))
	add(frame{framePacket, packetLimit, protocol.Header{}}, make([]byte, packetLimit))
	add(frame{kind: frameEnd}, nil)
	f.Add(stream, uint64(2))
	f.Add(bytes.Repeat([]byte("GET / HTTP/1.0\r\n"), 10), uint64(3))
	f.Fuzz(func(t *testing.T, stream []byte, seed uint64) {
		random := rand.New(rand.NewPCG(seed, 0))
		whole, wantTarget, wantErr := take(stream, func() int { return len(stream) })
		parts, target, err := take(stream, func() int { return random.IntN(1 + random.IntN(1000)) })
		if fmt.Sprint(wantErr) != fmt.Sprint(err) || fmt.Sprint(whole) != fmt.Sprint(parts) || !bytes.Equal(wantTarget, target) {
			t.Fatalf("whole: %v %v\nin parts: %v %v", whole, wantErr, parts, err)
		}
	})
}

func TestRegions(t *testing.T) {
	var table regions
	a := table.add(make([]byte, 100))
	b := table.add(make([]byte, 10))
	if got, err := table.target(putHeader(a[0], 40, 60)); err != nil || len(got) != 60 {
		t.Errorf("a put that fits: %d bytes, %v", len(got), err)
	}
	for name, h := range map[string]protocol.Header{
		"past the end":      putHeader(a[0], 41, 60),
		"offset too large":  putHeader(a[0], 101, 0),
		"negative offset":   putHeader(a[0], -1, 1),
		"negative length":   putHeader(a[0], 0, -1),
		"sum that wraps":    {W0: a[0], W1: 50, W2: 1<<64 - 20},
		"no such place":     putHeader(a[0]+17, 0, 1),
		"wrong generation":  putHeader(a[0]+1<<32, 0, 1),
		"handle of nothing": putHeader(0, 0, 1),
	} {
		if got, err := table.target(h); err == nil {
			t.Errorf("%s: accepted, %d bytes", name, len(got))
		}
	}
	table.remove(a)
	if _, err := table.target(putHeader(a[0], 0, 1)); err == nil {
		t.Error("a buffer that was withdrawn can still be written")
	}
	c := table.add(make([]byte, 5))
	if uint32(c[0]) != uint32(a[0]) || c[0] == a[0] {
		t.Errorf("place %#x was reused as %#x", a[0], c[0])
	}
	table.remove(a)
	if table.find(c[0]) == nil || table.find(b[0]) == nil {
		t.Error("an old key removed another buffer")
	}
}
