package tcp

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gobench/device"
	"gobench/device/protocol"
)

// landed is a record that takes long packets as well.
type landed struct {
	record
	head   protocol.Header
	memory []byte
}

func (l *landed) Land(_ int, h protocol.Header, size int) []byte {
	l.head, l.memory = h, make([]byte, size)
	return l.memory
}

func (l *landed) Landed(src int) { l.Packet(src, l.head, l.memory) }

// TestPeekAndPoll sends frames of all kinds, and takes them by Peek and Poll at random: all packets
// arrive once and in order, and what Peek has read behind them is not lost.
func TestPeekAndPoll(t *testing.T) {
	const count = 400
	for seed := range uint64(4) {
		a, b := pair(t, "connections", fmt.Sprint(1+seed%2))
		random := rand.New(rand.NewPCG(seed, 1))
		data, dst := pattern(200_000, 5), make([]byte, 300)
		key, _ := b.Register(dst)
		mine, _ := a.Register(data)
		var want []string
		next := func() bool { // reports whether there was room
			n, h := random.IntN(100), protocol.Header{W0: uint64(len(want))}
			switch kind := random.IntN(20); {
			case kind == 0:
				return a.Put(1, key, 0, data[:300], mine, 1) != protocol.Busy
			case kind == 1:
				if n = packetLimit + 1 + random.IntN(100_000); a.PushLong(1, h, data[:n], 2) == protocol.Busy {
					return false
				}
			case kind < 5:
				n = random.IntN(packetLimit)
				fallthrough
			default:
				if !a.Push(1, h, data[:n]) {
					return false
				}
			}
			want = append(want, fmt.Sprintf("0 %v %x", h, data[:n]))
			return true
		}
		sink, drop := &landed{}, &record{}
		peeked := 0
		until(t, "all packets", func() bool { return len(want) == count && len(sink.packets) >= count }, func() {
			for len(want) < count && random.IntN(4) > 0 && next() {
			}
			a.Poll(1, drop)
		}, func() {
			if random.IntN(10) == 0 {
				b.Poll(0, sink)
				return
			}
			if h, data, ok := b.Peek(0, random.IntN(10)); ok {
				peeked++
				sink.Packet(0, h, data)
				b.Pop(0)
			}
		})
		for range 10 {
			b.Poll(0, sink)
		}
		if len(sink.packets) != count {
			t.Errorf("seed %d: %d packets of %d", seed, len(sink.packets), count)
		}
		if peeked < count/10 {
			t.Errorf("seed %d: Peek found %d of %d packets", seed, peeked, count)
		}
		for i := range want {
			if sink.packets[i] != want[i] {
				t.Fatalf("seed %d: packet %d differs", seed, i)
			}
		}
		if !bytes.Equal(dst, data[:300]) || sink.failed != nil {
			t.Errorf("seed %d: the put did not arrive, or a failure: %v", seed, sink.failed)
		}
	}
}

// TestPollFindsWhatPeekFound peeks and does not pop: Poll delivers that packet, and what was read
// behind it. Serve leaves both to the caller, but delivers what another peer has sent.
func TestPollFindsWhatPeekFound(t *testing.T) {
	a, b := pair(t)
	for i := range 3 {
		a.Push(1, protocol.Header{W0: uint64(i)}, []byte("data"))
	}
	sink := &record{}
	until(t, "a packet", func() bool {
		_, _, ok := b.Peek(0, 100)
		return ok
	})
	if b.Serve(0, sink); len(sink.packets) != 0 {
		t.Errorf("Serve delivered %q of the peer whose packets are left to the caller", sink.packets)
	}
	until(t, "all packets", func() bool { return len(sink.packets) == 3 }, func() { b.Poll(0, sink) })
	a.Push(1, protocol.Header{W0: 4}, []byte("data"))
	until(t, "a packet by Serve", func() bool { return len(sink.packets) == 4 }, func() { b.Serve(1, sink) })
}

// TestServeBesideLongPacket has rank 1 send a short packet, which rank 0 peeks and pops, and a long
// one. Serve reads nothing of rank 1, and the long packet lands once, with few and with many peers.
func TestServeBesideLongPacket(t *testing.T) {
	for _, size := range []int{3, fewPeers + 2} {
		wires := make([]*wire, size)
		must(t, size, func(ctx context.Context, job device.Job) error {
			w, _, err := openWire(ctx, job, options(t), nil)
			wires[job.Rank()] = w
			return err
		})
		if t.Failed() {
			t.FailNow()
		}
		a, b := wires[0], wires[1]
		data := pattern(200_000, 1)
		sink, drop := &landed{}, &record{}
		b.Push(0, protocol.Header{W0: 1}, data[:10])
		until(t, "the short packet", func() bool {
			_, _, ok := a.Peek(1, 10)
			return ok
		})
		a.Pop(1)
		b.PushLong(0, protocol.Header{W0: 2}, data, 7)
		wires[2].Push(0, protocol.Header{W0: 3}, nil)
		until(t, "the packet of rank 2", func() bool { return len(sink.packets) > 0 }, func() { a.Serve(1, sink) }, func() { b.Poll(0, drop) })
		for range 100 {
			a.Serve(1, sink)
		}
		if len(sink.packets) != 1 || !strings.HasPrefix(sink.packets[0], "2 ") {
			t.Errorf("%d ranks: Serve delivered %d packets", size, len(sink.packets))
		}
		until(t, "the long packet", func() bool { return len(sink.packets) > 1 || sink.failed != nil }, func() { a.Poll(1, sink) }, func() { b.Poll(0, drop) })
		if want := fmt.Sprintf("1 %v %x", protocol.Header{W0: 2}, data); sink.failed != nil || len(sink.packets) != 2 || sink.packets[1] != want {
			t.Errorf("%d ranks: %d packets, failed: %v", size, len(sink.packets), sink.failed)
		}
		for _, w := range wires {
			w.abandon()
		}
	}
}

// TestPeekLeavesFailures wants what Peek cannot report to be reported by Poll: the end of a peer
// behind its last packet, and garbage.
func TestPeekLeavesFailures(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(a *wire)
		want string
	}{
		"end":     {func(a *wire) { a.abandon() }, "its process has ended"},
		"garbage": {func(a *wire) { a.peers[1].out.link.write(bytes.Repeat([]byte("garbage!"), 10), nil, nil) }, "no frame"},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := pair(t)
			a.Push(1, protocol.Header{W0: 3}, []byte("last words"))
			c.end(a)
			var got []string
			sink := &record{}
			until(t, "the failure", func() bool { return sink.failed != nil }, func() {
				if h, data, ok := b.Peek(0, 5); ok {
					got = append(got, fmt.Sprint(h.W0, string(data)))
					b.Pop(0)
				} else if len(got) > 0 {
					b.Poll(0, sink)
				}
			})
			if len(got) != 1 || got[0] != "3last words" || len(sink.packets) > 0 || !strings.Contains(sink.failed[0], c.want) {
				t.Errorf("packets %q and %q, failed: %q", got, sink.packets, sink.failed[0])
			}
			if _, _, ok := b.Peek(0, 5); ok {
				t.Error("Peek found a packet of a peer that has failed")
			}
		})
	}
}
