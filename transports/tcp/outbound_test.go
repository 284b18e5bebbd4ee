package tcp

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"gobench/device/protocol"
)

// miser is a link that takes a random part of what it is given.
type miser struct {
	link
	random *rand.Rand
	got    []byte
}

func (m *miser) write(a, b, c []byte) (int, error) {
	all := bytes.Join([][]byte{a, b, c}, nil)
	n := 0
	if m.random.IntN(3) > 0 {
		n = m.random.IntN(len(all) + 1)
	}
	m.got = append(m.got, all[:n]...)
	return n, nil
}

// TestOutbound pushes short and long packets, puts and polls in random order onto a socket that
// takes what it likes: the stream must be the accepted frames, whole and in order.
func TestOutbound(t *testing.T) {
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 1))
		m := &miser{random: random}
		set := settings{merge: 100, chunk: 5000}
		w := &wire{set: set, scratch: scratchFor(set)}
		p := &peer{rank: 1}
		c := &conn{wire: w, peer: p, link: m}
		p.in, p.out = c, c
		w.peers = []*peer{nil, p}
		sink := &record{}

		var want []byte
		add := func(f frame, data []byte) {
			want = append(append(want, f.encode(make([]byte, wideSize))...), data...)
		}
		puts := 0
		for i := range 400 {
			switch random.IntN(5) {
			case 4:
				data := pattern(1+random.IntN(30_000), i)
				h := protocol.Header{W1: uint64(i)}
				switch w.PushLong(1, h, data, uint64(i)) {
				case protocol.Pending:
					puts++
					fallthrough
				case protocol.Done:
					add(frame{frameLong, len(data), h}, data)
				}
			case 0, 1:
				data := pattern(random.IntN(300), i)
				if random.IntN(10) == 0 {
					data = pattern(packetLimit, i)
				}
				h := protocol.Header{W0: uint64(i)}
				if w.Push(1, h, data) {
					add(frame{framePacket, len(data), h}, data)
				}
			case 2:
				src := pattern(1+random.IntN(30_000), i)
				if w.Put(1, protocol.Key{7, 1 << 20}, i, src, protocol.Key{}, uint64(i)) == protocol.Pending {
					add(frame{kind: framePut, header: putHeader(7, i, len(src))}, src)
					puts++
				}
			case 3:
				w.flush()
				w.settle(sink)
			}
		}
		for !c.out.idle() {
			w.flush()
			w.settle(sink)
		}
		if !bytes.Equal(m.got, want) {
			t.Fatalf("seed %d: the stream is not what was accepted", seed)
		}
		if len(sink.completed) != puts || puts == 0 {
			t.Errorf("seed %d: %d of %d puts and long packets completed", seed, len(sink.completed), puts)
		}
	}
}

// A taker is a link that takes all that it is given and counts the writes.
type taker struct {
	link
	writes int
	got    []byte
}

func (k *taker) write(a, b, c []byte) (int, error) {
	k.writes++
	k.got = append(append(append(k.got[:0], a...), b...), c...)
	return len(k.got), nil
}

// TestOneWriteForAPacket checks that a packet is written whole by one call where the socket takes
// it, for every length about the limits of merging and of wide headers.
func TestOneWriteForAPacket(t *testing.T) {
	for _, merge := range []int{0, 1, wideFrom - 1, wideFrom, packetLimit} {
		set := settings{merge: merge, chunk: 1 << 20}
		k := &taker{}
		c := &conn{wire: &wire{set: set, scratch: scratchFor(set)}, peer: &peer{rank: 1}, link: k}
		for _, size := range []int{0, 1, merge - 1, merge, merge + 1, wideFrom - 1, wideFrom, wideFrom + 1, packetLimit} {
			if size < 0 || size > packetLimit {
				continue
			}
			f, data := frame{kind: framePacket, size: size}, pattern(size, size)
			k.writes = 0
			if !c.send(f, data) || k.writes != 1 || !c.out.idle() {
				t.Errorf("merge=%d: a packet of %d bytes took %d writes, and more follow: %t", merge, size, k.writes, !c.out.idle())
				c.out = outbound{}
				c.dirty, c.wire.dirty = false, nil
			} else if want := append(f.encode(make([]byte, wideSize)), data...); !bytes.Equal(k.got, want) {
				t.Errorf("merge=%d: a packet of %d bytes was written as %d other bytes", merge, size, len(k.got))
			}
		}
	}
}
