package smem

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"gobench/device/protocol"
	"gobench/internal/fuzzing"
)

// testRing is one ring in heap memory with both its ends.
func testRing(data int) (producer, consumer, layout) {
	l := layout{ranks: 2, slots: data / 4 / lineSize, data: data}
	mem, err := heapMemory(l.fileSize())
	if err != nil {
		panic(err)
	}
	s := newSegment(mem, l, 0)
	return s.producer(0, 1), s.consumer(0, 1), l
}

// pattern fills b with bytes that depend on the packet and the offset.
func pattern(b []byte, packet uint64) {
	for i := range b {
		b[i] = byte(packet*131 + uint64(i)*7 + uint64(i)>>8)
	}
}

// take reads a packet step by step as wire.deliver does.
func (c *consumer) take(word uint64) (h protocol.Header, data []byte, ok bool) {
	s := c.next
	h = protocol.Header{W0: s.h0, W1: s.h1, W2: s.h2}
	data, ok = c.data(s, word)
	return h, data, ok
}

// release ends the use of the packet that take has returned.
func (c *consumer) release() { c.pass() }

func TestSlotIsOneLine(t *testing.T) {
	if n := unsafe.Sizeof(slot{}); n != lineSize {
		t.Fatalf("a slot has %d bytes, not a line", n)
	}
}

// TestRingAgainstQueue pushes and takes at random and compares with a plain
// queue. Sizes are such that both rings wrap and both run full.
func TestRingAgainstQueue(t *testing.T) {
	for seed := range uint64(30) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		p, c, l := testRing(minRing << rnd.IntN(3))
		var queue [][]byte
		var refused int
		for step := range 5000 {
			if rnd.IntN(100) < 40+int(seed) {
				n := rnd.IntN(l.packet() + 1)
				if rnd.IntN(3) > 0 {
					n = rnd.IntN(100)
				}
				data := make([]byte, n)
				pattern(data, uint64(step))
				if p.push(protocol.Header{W0: uint64(step), W1: uint64(n), W2: ^uint64(step)}, data) {
					queue = append(queue, append([]byte{byte(step)}, data...))
				} else {
					refused++
					if len(queue) == 0 {
						t.Fatalf("seed %d: an empty ring refuses %d bytes", seed, n)
					}
				}
				continue
			}
			word, ok := c.look()
			if ok != (len(queue) > 0) {
				t.Fatalf("seed %d: ring says %v, %d packets are queued", seed, ok, len(queue))
			}
			if !ok {
				if !c.sane(word) {
					t.Fatalf("seed %d: empty slot holds %#x", seed, word)
				}
				continue
			}
			h, data, ok := c.take(word)
			want := queue[0]
			if !ok || byte(h.W0) != want[0] || h.W2 != ^h.W0 || !bytes.Equal(data, want[1:]) {
				t.Fatalf("seed %d: packet %v with %d bytes, want %d bytes", seed, h, len(data), len(want)-1)
			}
			c.release()
			queue = queue[1:]
		}
		if seed > 10 && refused == 0 {
			t.Errorf("seed %d: the ring never ran full", seed)
		}
	}
}

// TestRingConcurrently runs both ends at once.
func TestRingConcurrently(t *testing.T) {
	p, c, l := testRing(minRing)
	const packets = 20000
	size := func(i uint64) int { return int(i * 7919 % uint64(l.packet()+1)) }
	var done sync.WaitGroup
	done.Go(func() {
		data := make([]byte, l.packet())
		for i := uint64(0); i < packets; {
			b := data[:size(i)]
			pattern(b, i)
			if p.push(protocol.Header{W0: i}, b) {
				i++
			} else {
				runtime.Gosched()
			}
		}
	})
	want := make([]byte, l.packet())
	for i := uint64(0); i < packets; {
		word, ok := c.look()
		if !ok {
			runtime.Gosched()
			continue
		}
		h, data, ok := c.take(word)
		b := want[:size(i)]
		pattern(b, i)
		if !ok || h.W0 != i || !bytes.Equal(data, b) {
			t.Fatalf("packet %d came as %d with %d bytes", i, h.W0, len(data))
		}
		c.release()
		i++
	}
	done.Wait()
}

// FuzzConsumer lets a consumer loose on arbitrary memory: it must stay inside
// the ring, and never wait for ever on what is garbage.
func FuzzConsumer(t *testing.F) {
	f := fuzzing.New(t)
	f.Add([]byte{1, 0, 0, 0, 8, 0, 0, 0}, uint16(3))
	f.Add([]byte{1, 0, 0, 0, 255, 255, 255, 255}, uint16(0))
	f.Add([]byte{9, 0, 0, 0, 0, 0, 0, 0}, uint16(0))
	_, fresh, l := testRing(minRing)
	memory := unsafe.Slice((*byte)(fresh.slots), l.ringBytes())
	f.Fuzz(func(t *testing.T, garbage []byte, start uint16) {
		c := fresh
		clear(memory)
		copy(memory[int(start)%len(memory):], garbage)
		low, high := uintptr(c.slots), uintptr(c.slots)+uintptr(l.ringBytes())
		for range 3 * l.slots {
			word, ok := c.look()
			if !ok {
				return
			}
			_, data, ok := c.take(word)
			if !ok {
				return
			}
			if a := address(data); len(data) > 0 && (a < low || a+uintptr(len(data)) > high) {
				t.Fatalf("data of %d bytes lies outside the ring", len(data))
			}
			c.release()
		}
	})
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

// A consumer that returns room that it never had gets no packet over those that it has not read, and is lost.
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
