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
		w := &wire{set: settings{merge: 100, chunk: 5000}, scratch: make([]byte, wideSize+100)}
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
