package tcp

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"gobench/device/protocol"
	"gobench/internal/fuzzing"
)

// record is a Sink that writes down what it is told.
type record struct {
	protocol.Sink
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

// feed is a connection that a stream comes through in pieces, as reads would have them. It writes
// down what comes out.
type feed struct {
	protocol.Sink
	in     inbound
	table  regions
	target [100]byte
	memory [200]byte // for a long packet
	head   protocol.Header
	size   int    // of the long packet
	out    []byte // every packet with its header and length
	err    error
}

func (f *feed) Land(_ int, h protocol.Header, size int) []byte {
	if size > len(f.memory) {
		return nil
	}
	f.head, f.size = h, size
	return f.memory[:size]
}
func (f *feed) Landed(src int) { f.Packet(src, f.head, f.memory[:f.size]) }

func (f *feed) Packet(_ int, h protocol.Header, data []byte) {
	n := len(f.out)
	f.out = append(f.out, make([]byte, protocol.HeaderSize)...)
	h.Encode(f.out[n:])
	f.out = append(append(f.out, byte(len(data)), byte(len(data)>>8)), data...)
}
func (f *feed) Completed(uint64, error) {}
func (f *feed) Failed(int, string)      {}

// take begins anew and takes a stream.
func (f *feed) take(stream []byte, piece func() int) {
	f.in = inbound{buf: f.in.buf}
	f.table, f.out, f.err = regions{}, f.out[:0], nil
	clear(f.target[:])
	f.table.add(f.target[:])
	for len(stream) > 0 && f.err == nil {
		fill, tail := f.in.target(&f.table)
		n := min(max(1, piece()), len(stream), len(fill)+len(tail))
		k := copy(fill, stream[:n])
		copy(tail, stream[k:n])
		stream = stream[n:]
		f.err = f.in.deliver(n, 3, &f.table, f)
		for f.in.long.kind != 0 && f.err == nil {
			f.err = f.in.land(3, &f.table, f)
		}
	}
}

// stream is one of every kind of frame.
func stream() []byte {
	var list []byte
	add := func(fr frame, data []byte) {
		list = append(append(list, fr.encode(make([]byte, wideSize))...), data...)
	}
	add(frame{framePacket, 5, protocol.Header{W0: 9}}, []byte("hello"))
	add(frame{kind: framePut, header: putHeader(1<<32, 10, 20)}, bytes.Repeat([]byte{7}, 20))
	add(frame{framePacket, 0, protocol.Header{W2: 1}}, nil)
	for i := range 3 {
		add(frame{frameLong, 150 + i, protocol.Header{W0: uint64(i)}}, bytes.Repeat([]byte{8}, 150+i))
	}
	return list
}

// inPieces wants a stream to be understood or refused, and wants that to be the same in whatever
// pieces it arrives.
func inPieces(t *testing.T, whole, parts *feed, stream []byte, seed uint64) {
	t.Helper()
	var random rand.PCG
	random.Seed(seed, 0)
	whole.take(stream, func() int { return len(stream) })
	parts.take(stream, func() int { r := random.Uint64(); return int((r >> 32) % (1 + r%1000)) })
	if fmt.Sprint(whole.err) != fmt.Sprint(parts.err) || !bytes.Equal(whole.out, parts.out) || whole.target != parts.target {
		t.Fatalf("whole: %x %v\nin parts: %x %v", whole.out, whole.err, parts.out, parts.err)
	}
}

func TestPacketsOfFullSizeInPieces(t *testing.T) {
	var whole, parts feed
	long := stream()
	for range 2 {
		b := make([]byte, wideSize+packetLimit)
		frame{framePacket, packetLimit, protocol.Header{}}.encode(b)
		long = append(long, b...)
	}
	for seed := range uint64(20) {
		inPieces(t, &whole, &parts, long, seed)
		if whole.err != nil || len(whole.out) < 2*packetLimit {
			t.Fatalf("%d bytes came through, %v", len(whole.out), whole.err)
		}
	}
}

func FuzzInbound(t *testing.F) {
	f := fuzzing.New(t)
	f.Add(stream(), uint64(1))
	end := frame{kind: frameEnd}.encode(make([]byte, wideSize))
	f.Add(append(stream(), end...), uint64(2))
	f.Add(bytes.Repeat([]byte("GET / HTTP/1.0\r\n"), 10), uint64(3))
	var whole, parts feed
	f.Fuzz(func(t *testing.T, stream []byte, seed uint64) {
		if len(stream) < 4096 {
			inPieces(t, &whole, &parts, stream, seed)
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
