package smem

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"gobench/device/protocol"
	"gobench/internal/fuzzing"
)

// testChannel returns both ends of a channel in heap memory, that of the rank first which has the
// first turn.
func testChannel(ring int) (first, second channel, l layout) {
	l = newLayout(2, ring)
	mem, err := heapMemory(l.fileSize())
	if err != nil {
		panic(err)
	}
	lower, higher := newSegment(mem, l, 0), newSegment(mem, l, 1)
	return newChannel(0, 1, lower, higher), newChannel(1, 0, higher, lower), l
}

// receive returns the next packet by look or by peek, as wire does.
func (c *channel) receive(peek bool) (h protocol.Header, data []byte, ok bool) {
	s, word, ok := c.look()
	if peek {
		s, word, ok = c.peek(2 * maxRest)
	}
	if !ok {
		return h, nil, false
	}
	return c.packet(s, word)
}

// TestChannelAgainstQueues pushes and takes at random at both ends, and compares with a plain queue
// for each direction. Sizes are such that both rings wrap and run full, and some packets go through
// the slot, its area and the data rings in each way.
func TestChannelAgainstQueues(t *testing.T) {
	for seed := range uint64(30) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		a, b, l := testChannel(minRing << rnd.IntN(5))
		a.out.claims = true
		ends, queues := [2]*channel{&a, &b}, [2][][]byte{}
		var refused int
		for step := range 5000 {
			side := rnd.IntN(2)
			from, to, queue := ends[side], ends[1-side], &queues[side]
			if rnd.IntN(100) < 40+int(seed) {
				n := rnd.IntN(l.packet() + 1)
				if rnd.IntN(3) > 0 {
					n = rnd.IntN(100)
				}
				data := make([]byte, n)
				pattern(data, uint64(step))
				if from.push(protocol.Header{W0: uint64(step), W1: uint64(n), W2: ^uint64(step)}, data) {
					*queue = append(*queue, append([]byte{byte(step)}, data...))
				} else {
					refused++
					if len(*queue) == 0 {
						t.Fatalf("seed %d: an empty ring refuses %d bytes", seed, n)
					}
				}
				continue
			}
			h, data, ok := to.receive(step%2 == 0)
			if ok != (len(*queue) > 0) {
				t.Fatalf("seed %d: the channel says %v, %d packets are queued", seed, ok, len(*queue))
			}
			if !ok {
				if word, due, garbage := to.garbage(); garbage {
					t.Fatalf("seed %d: an empty slot holds %#x where %#x is due", seed, word, due)
				}
				continue
			}
			want := (*queue)[0]
			if byte(h.W0) != want[0] || h.W2 != ^h.W0 || !bytes.Equal(data, want[1:]) {
				t.Fatalf("seed %d: packet %v with %d bytes, want %d bytes", seed, h, len(data), len(want)-1)
			}
			to.pass()
			*queue = (*queue)[1:]
		}
		if seed > 15 && refused == 0 {
			t.Errorf("seed %d: no ring ever ran full", seed)
		}
		if a.turn != b.turn && a.turn != b.turn+1 && b.turn != a.turn+1 || a.turn < 10 {
			t.Errorf("seed %d: %d and %d packets in the slot", seed, a.turn, b.turn)
		}
	}
}

// Whoever has read what the slot holds has the turn, and answers there; what else it sends goes to
// its ring.
func TestTurns(t *testing.T) {
	a, b, _ := testChannel(minRing)
	for i := range 1 << 17 { // both numbers of the mark pass 16 bits
		a.push(protocol.Header{W0: 1}, nil)
		if i&1 == 0 {
			a.push(protocol.Header{W0: 2}, nil)
		}
		for want := uint64(1); want <= 2-uint64(i&1); want++ {
			if h, _, ok := b.receive(false); !ok || h.W0 != want {
				t.Fatalf("round %d: packet %d, %v instead of %d", i, h.W0, ok, want)
			}
			b.pass()
		}
		b.push(protocol.Header{W0: 3}, nil)
		if h, _, ok := a.receive(false); !ok || h.W0 != 3 {
			t.Fatalf("round %d: the answer is packet %d, %v", i, h.W0, ok)
		}
		a.pass()
	}
	if a.turn != 1<<18 || a.out.pos != 1<<16 || b.out.pos != 0 {
		t.Errorf("%d packets went through the slot, %d and %d through the rings", a.turn, a.out.pos, b.out.pos)
	}
}

// TestChannelConcurrently runs both ends concurrently, each sending and receiving.
func TestChannelConcurrently(t *testing.T) {
	a, b, l := testChannel(32 << 10)
	a.out.claims, b.out.claims = true, true
	const packets = 20000
	size := func(i uint64) int { return int(i * 7919 % uint64(l.packet()+1)) }
	run := func(c *channel) {
		data, want := make([]byte, l.packet()), make([]byte, l.packet())
		for sent, got := uint64(0), uint64(0); sent < packets || got < packets; {
			if sent < packets {
				out := data[:size(sent)]
				pattern(out, sent)
				if c.push(protocol.Header{W0: sent}, out) {
					sent++
				}
			}
			h, in, ok := c.receive(got%3 == 0)
			if !ok {
				runtime.Gosched()
				continue
			}
			expected := want[:size(got)]
			pattern(expected, got)
			if h.W0 != got || !bytes.Equal(in, expected) {
				t.Errorf("packet %d came as %d with %d bytes", got, h.W0, len(in))
				return
			}
			c.pass()
			got++
		}
	}
	var done sync.WaitGroup
	done.Go(func() { run(&a) })
	done.Go(func() { run(&b) })
	done.Wait()
}

// A slot in which the peer has written what it never would loses the peer.
func TestGarbageLosesThePeer(t *testing.T) {
	const anything = 0xdeadbeefdeadbeef
	tooLong := uint64(minRing/4+1) << 32
	for name, c := range map[string]struct {
		ring bool                    // else the slot
		word func(c *channel) uint64 // what is written, by the state of the reader
		want string                  // "" for the word
	}{
		"wrong turn":       {false, func(c *channel) uint64 { return uint64(turnMark(c.turn+5, c.in.pos)) }, ""},
		"after too many":   {false, func(c *channel) uint64 { return uint64(turnMark(c.turn+1, c.in.pos+0x8000)) }, ""},
		"impossible size":  {false, func(c *channel) uint64 { return uint64(c.due()) | 1<<62 }, "packet of"},
		"far too long":     {false, func(c *channel) uint64 { return uint64(c.due()) | tooLong }, "packet of"},
		"payload as turns": {false, func(*channel) uint64 { return anything }, "garbage"},

		"ring: wrong lap":        {true, func(c *channel) uint64 { return uint64(c.in.lap + 4) }, ""},
		"ring: impossible size":  {true, func(c *channel) uint64 { return uint64(c.in.lap) | 1<<62 }, "packet of"},
		"ring: far too long":     {true, func(c *channel) uint64 { return uint64(c.in.lap) | tooLong }, "packet of"},
		"ring: payload as a lap": {true, func(*channel) uint64 { return anything }, "garbage"},
	} {
		t.Run(name, func(t *testing.T) {
			wires := goroutineWires(t, 2, minRing)
			// Whose turn it is depends on what the ranks sent when they opened.
			writer := 0
			if first := &wires[0].peers[1].channel; first.turn&1 != first.side {
				writer = 1
			}
			if c.ring {
				writer = 1 - writer
			}
			reader := 1 - writer
			channel := &wires[reader].peers[writer].channel
			at := &channel.slot.word
			if c.ring {
				at = &channel.in.next.word
			}
			word, want := c.word(channel), c.want
			if want == "" {
				want = fmt.Sprintf("word %#x", word)
			}
			atomic.StoreUint64(at, word)
			var s heard
			for range 3 {
				wires[reader].Poll(writer, &s)
			}
			if len(s.packets) != 0 || !strings.Contains(s.failures[writer], want) || strings.Count(s.failures[writer], "garbage") != 1 {
				t.Fatalf("delivered %d packets, failures %v, want %s", len(s.packets), s.failures, want)
			}
			if !wires[reader].Push(writer, protocol.Header{}, nil) {
				t.Error("a packet to a lost peer must be dropped, not refused")
			}
		})
	}
}

// With the first look for an answer, the area is fetched if the last packet had its data there.
func TestExpectedData(t *testing.T) {
	a, b, _ := testChannel(1 << 20)
	for _, c := range []struct {
		name       string
		size, want int
		ring       bool
	}{
		{"in the slot", 8, 0, false},
		{"in the area", maxExpect, maxExpect, false},
		{"too long", maxExpect + 1, 0, false},
		{"in the area again", 100, 100, false},
		{"through the ring", 100, 0, true},
	} {
		from, to := &a, &b
		if from.turn&1 != from.side != c.ring {
			from, to = to, from
		}
		if !from.push(protocol.Header{}, make([]byte, c.size)) {
			t.Fatalf("%s: there is no room", c.name)
		}
		if _, data, ok := to.receive(true); !ok || len(data) != c.size || to.expect != c.want {
			t.Errorf("%s: %d bytes of %d came (%v), of which the next look fetches %d, want %d", c.name, len(data), c.size, ok, to.expect, c.want)
		}
		to.pass()
	}
}

// TestLaterPackets wants the lines that are claimed to be those of a later packet of the same
// length, several times around the ring.
func TestLaterPackets(t *testing.T) {
	for _, size := range []int{0, inlineRoom, inlineRoom + 1, 64, 65, 130, 200, claimData, claimData + 1} {
		a, b, l := testChannel(32 << 10)
		type lines struct {
			slot, data unsafe.Pointer
			size       int
		}
		var due []lines
		whole, gap := 0, -claimAhead
		for i := range 4 * l.slots {
			p := &a.out
			from, to := p.span(size)
			if from != p.dataPos {
				gap = i
			}
			if i >= claimAhead {
				want := due[i-claimAhead]
				if want.slot != unsafe.Pointer(p.next) || want.size > 0 && i-gap >= claimAhead && (want.data != p.at(from) || want.size != int(to-from)) {
					t.Fatalf("%d bytes, packet %d: claimed %v, used %p and %p, %d bytes", size, i, want, p.next, p.at(from), to-from)
				}
				if want.size > 0 {
					whole++
				}
			}
			s := p.next
			if !p.store(make([]byte, size)) && size > 0 {
				t.Fatal("no room")
			}
			var l lines
			l.slot, l.data, l.size = p.later(size)
			due = append(due, l)
			s.word = uint64(size)<<32 | uint64(p.lap)
			if size <= inlineRoom {
				p.dataPos = from
			}
			p.step()
			if _, _, ok := b.receive(false); !ok {
				t.Fatalf("%d bytes: packet %d did not arrive", size, i)
			}
			b.pass()
			p.refresh()
		}
		if claimed := whole > 3*l.slots; claimed != (size > inlineRoom && size <= claimData) {
			t.Errorf("%d bytes: the data of %d packets were claimed", size, whole)
		}
	}
}

// TestRowOfPackets wants a row of packets to end with each one that comes back, and packets that
// are longer and shorter than what is claimed to arrive over several passes through the ring.
func TestRowOfPackets(t *testing.T) {
	a, b, l := testChannel(32 << 10)
	a.out.claims, b.out.claims = true, true
	for i := range 3 * l.slots {
		for row := range claimAfter + 2 {
			data := bytes.Repeat([]byte{byte(i + row)}, (i*37+row)%(2*claimData))
			if before := a.out.row; !a.out.push(protocol.Header{}, data) || a.out.row != before+1 || before != row {
				t.Fatalf("packet %d of round %d: row %d after %d", row, i, a.out.row, before)
			}
			if _, got, ok := b.receive(false); !ok || !bytes.Equal(got, data) {
				t.Fatalf("packet %d of round %d: %d bytes came (%v), want %d", row, i, len(got), ok, len(data))
			}
			b.pass()
		}
		if !b.out.push(protocol.Header{}, nil) {
			t.Fatalf("round %d: no room for the answer", i)
		}
		if _, _, ok := a.receive(false); !ok {
			t.Fatalf("round %d: no answer", i)
		}
		if a.pass(); a.out.row != 0 {
			t.Fatalf("round %d: row %d after an answer", i, a.out.row)
		}
	}
}

// FuzzChannel lets one end loose on arbitrary memory: it must stay inside the rings, the slot and
// the area, and never wait for ever on what is garbage.
func FuzzChannel(t *testing.F) {
	f := fuzzing.New(t)
	f.Add([]byte{1, 0, 0, 0, 8, 0, 0, 0}, uint32(0), uint64(1<<16))
	f.Add([]byte{1, 0, 0, 0, 255, 255, 255, 255}, uint32(0), uint64(1<<16|1<<63))
	f.Add([]byte{9, 0, 0, 0, 0, 0, 0, 0}, uint32(3), uint64(1<<16|1000<<32))
	f.Add([]byte{1, 0, 0, 0, 0, 2, 0, 0}, uint32(0), uint64(1<<16|500<<32))
	_, fresh, l := testChannel(32 << 10)
	ring := unsafe.Slice((*byte)(fresh.in.slots), l.ringBytes())
	f.Fuzz(func(t *testing.T, garbage []byte, start uint32, word uint64) {
		c := fresh
		clear(ring)
		copy(ring[int(start)%len(ring):], garbage)
		*c.slot = slot{word: word}
		inside := func(data []byte, of unsafe.Pointer, size int) bool {
			at, low := address(data), uintptr(of)
			return at >= low && at+uintptr(len(data)) <= low+uintptr(size)
		}
		for range 3 * l.slots {
			_, data, ok := c.receive(false)
			if !ok {
				c.garbage()
				return
			}
			if len(data) > 0 && !inside(data, fresh.in.slots, l.ringBytes()) && !inside(data, fresh.area, l.area) &&
				!inside(data, unsafe.Pointer(fresh.slot), lineSize) {
				t.Fatalf("data of %d bytes lies outside of the channel", len(data))
			}
			c.pass()
		}
	})
}

// TestRestFollowsAnswers has a rank wait for an answer that is in the slot already: peek does not
// read the slot before the rest is over, and adapts the rest to the read that finds the answer.
func TestRestFollowsAnswers(t *testing.T) {
	first, second, _ := testChannel(64 << 10)
	for _, c := range []*channel{&first, &second} {
		if !c.push(protocol.Header{}, []byte("ping")) {
			t.Fatal("no room in an empty channel")
		}
		if c == &first {
			if _, _, ok := second.receive(false); !ok {
				t.Fatal("the packet did not arrive")
			}
			second.pass()
		}
	}
	const rest = 10 * parts
	first.rest = rest
	if _, _, ok := first.peek(0); ok {
		t.Fatal("peek read the slot before the rest was over")
	}
	first.asked = true
	if s, _, ok := first.peek(1); !ok || s != first.slot {
		t.Fatal("peek did not read the slot after the rest")
	}
	if first.rest != rest-restLess {
		t.Errorf("after an answer that the first read found, rest is %d instead of %d", first.rest, rest-restLess)
	}
	first.learn(2)
	if want := rest - restLess + restMore; first.rest != want {
		t.Errorf("after an answer that the second read found, rest is %d instead of %d", first.rest, want)
	}
	if first.learn(answered + 1); first.rest != rest-restLess+restMore {
		t.Error("a packet that came much later changed the rest")
	}
	first.rest = maxRest
	for range maxVain - 1 {
		first.learn(2)
	}
	first.learn(1)
	first.rest = maxRest
	for i := range maxVain {
		if first.rest != maxRest {
			t.Fatalf("after %d late answers the longest rest is %d", i, first.rest)
		}
		first.learn(2)
	}
	if first.rest != usualRest {
		t.Errorf("after %d answers too late for the longest rest, rest is %d instead of %d", maxVain, first.rest, usualRest)
	}
}
