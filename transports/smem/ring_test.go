package smem

import (
	"bytes"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"unsafe"

	"gobench/device/protocol"
	"gobench/internal/fuzzing"
)

// testRing is one ring in heap memory with both its ends, of channels whose slot this sender never
// has.
func testRing(data int) (producer, consumer, layout) {
	a, b, l := testChannel(data)
	return a.out, b.in, l
}

// pattern fills b with bytes that depend on the packet and the offset.
func pattern(b []byte, packet uint64) {
	for i := range b {
		b[i] = byte(packet*131 + uint64(i)*7 + uint64(i)>>8)
	}
}

func TestSlotIsOneLine(t *testing.T) {
	if n := unsafe.Sizeof(slot{}); n != lineSize {
		t.Fatalf("a slot has %d bytes, not a line", n)
	}
}

func TestProducerSurvivesGarbageHeads(t *testing.T) {
	p, _, l := testRing(minRing)
	for i := range 10000 {
		p.heads.slots, p.heads.data = rand.Uint64(), rand.Uint64()
		n := i % (l.packet() + 1)
		from, to := p.span(n)
		if offset := from & (p.dataSize - 1); offset+(to-from) > p.dataSize {
			t.Fatalf("span of %d bytes at %d leaves the ring", n, offset)
		}
		p.push(protocol.Header{}, make([]byte, n))
	}
}

// Memory that its owner has not marked, or not for this job, is refused.
func FuzzSegment(t *testing.F) {
	f := fuzzing.New(t)
	l := layout{ranks: 2, slots: 4, data: minRing}
	mem, err := heapMemory(l.fileSize())
	if err != nil {
		f.Fatal(err)
	}
	s := newSegment(mem, l, 0)
	s.stamp(7)
	head := bytes.Clone(mem[:24])
	f.Add(head, uint64(7))
	f.Add(make([]byte, 24), uint64(7))
	f.Fuzz(func(t *testing.T, header []byte, nonce uint64) {
		clear(mem[:lineSize])
		copy(mem[:lineSize], header)
		if same := nonce == 7 && bytes.Equal(mem[:24], head); nonce == 7 && (s.check(nonce) == nil) != same {
			t.Errorf("%x with nonce %d: %v", header, nonce, s.check(nonce))
		}
	})
}

// A consumer that returns room that it never had gets no packet over those that it has not read,
// and is lost.
func TestGarbageInHeads(t *testing.T) {
	for name, garbage := range map[string]uint64{"too far": 1 << 40, "one too far": 1 << 20, "back": ^uint64(0) - 5} {
		t.Run(name, func(t *testing.T) {
			wires := goroutineWires(t, 2, minRing)
			w := wires[0]
			out := &w.peers[1].out
			for w.Push(1, protocol.Header{W0: 7}, nil) {
			}
			pushed := out.pos
			if garbage == 1<<20 {
				garbage = pushed + 1
			}
			atomic.StoreUint64(&out.heads.slots, garbage)
			for range 10 {
				if w.Push(1, protocol.Header{W0: 8}, nil) {
					t.Fatal("a packet that was not read is overwritten")
				}
			}
			var s heard
			w.Idle(&s)
			if out.pos != pushed || s.failures[1] != "it has returned more room of its ring than it had" {
				t.Errorf("%d packets for %d, failures %v", out.pos, pushed, s.failures)
			}
		})
	}
}
