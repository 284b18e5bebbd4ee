package smem

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"gobench/device"
	"gobench/device/protocol"
)

// Benchmarks of the bare wire between two processes, pinned to the cores in
// GOBENCH_CORES ("0,1" by default). ns/op is a whole round trip.

func benchCores() (a, b string) {
	if c := os.Getenv("GOBENCH_CORES"); len(c) == 3 {
		return c[:1], c[2:]
	}
	return "0", "1"
}

func BenchmarkWire(b *testing.B) {
	for _, size := range []int{0, 8, 32, 64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 1 << 20, 4 << 20} {
		b.Run(fmt.Sprintf("push/%d", size), func(b *testing.B) { benchPair(b, "push", size) })
	}
	for _, how := range []string{"get", "put", "split", "direct", "directsplit"} {
		for _, size := range []int{4 << 10, 16 << 10, 64 << 10, 1 << 20, 4 << 20} {
			b.Run(fmt.Sprintf("%s/%d", how, size), func(b *testing.B) { benchPair(b, how, size) })
		}
	}
}

func benchPair(b *testing.B, how string, size int) {
	core, other := benchCores()
	job := processJob(b, 2, "bench", map[string]string{
		"core": other, "how": how, "size": strconv.Itoa(size), "ring": os.Getenv("GOBENCH_RING"), "frag": os.Getenv("GOBENCH_FRAG")})
	runtime.LockOSThread()
	if err := pin(core); err != nil {
		b.Fatal(err)
	}
	w, s, err := benchOpen(job, how, size, os.Getenv("GOBENCH_RING"), os.Getenv("GOBENCH_FRAG"))
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	rounds := func(n int) time.Duration {
		s.send(1, protocol.Header{W0: 99, W2: uint64(n)}, nil)
		start := time.Now()
		for range n {
			s.message(true)
			s.message(false)
		}
		return time.Since(start)
	}
	line := func() float64 {
		s.send(1, protocol.Header{W0: 99, W2: math.MaxUint64}, nil)
		t, err := w.coreLatency(1, 0, 500)
		if err != nil {
			b.Fatal(err)
		}
		return t
	}
	measure(b, line, size, rounds)
	rounds(0)
}

func init() {
	roles["bench"] = func(job device.Job, args map[string]string) error {
		if err := pin(args["core"]); err != nil {
			return err
		}
		size, _ := strconv.Atoi(args["size"])
		w, s, err := benchOpen(job, args["how"], size, args["ring"], args["frag"])
		if err != nil {
			return err
		}
		for {
			s.await(99)
			n := s.rounds
			if n == 0 {
				break
			}
			if n < 0 {
				if _, err := w.coreLatency(0, 0, 1); err != nil {
					return err
				}
			}
			for range max(n, 0) {
				s.message(false)
				s.message(true)
			}
		}
		return w.Close()
	}
}

// benchSink plays one side of a ping-pong by one method.
type benchSink struct {
	protocol.Sink
	w        *wire
	how      string
	buf      []byte
	key      protocol.Key
	peerKey  protocol.Key
	fragment int

	got  int // bytes of the message that came by packets
	seen [128]int
	peer int

	rounds int // what the leader has asked for last
}

func benchOpen(job device.Job, how string, size int, ring, frag string) (*wire, *benchSink, error) {
	r, err := strconv.Atoi(ring)
	if err != nil {
		r = -1
	}
	w, err := openWire(context.Background(), job, nil, r, cmaAuto, "auto")
	if err != nil {
		return nil, nil, err
	}
	s := &benchSink{w: w, how: how, peer: 1 - job.Rank(), fragment: w.limits.Fragment}
	if f, err := strconv.Atoi(frag); err == nil {
		s.fragment = f
	}
	if how[0] == 'd' {
		s.buf, err = w.Alloc(size)
	} else {
		s.buf = make([]byte, size)
	}
	for i := range s.buf {
		s.buf[i] = byte(i)
	}
	if err != nil {
		return nil, nil, err
	}
	if how != "push" {
		if s.key, err = w.Register(s.buf); err != nil {
			return nil, nil, err
		}
		// Keys are swapped by packet, like in a rendezvous.
		key := make([]byte, 32)
		for i, word := range s.key {
			for j := range 8 {
				key[i*8+j] = byte(word >> (8 * j))
			}
		}
		s.send(s.peer, protocol.Header{W0: 98}, key)
		s.await(98)
	}
	return w, s, nil
}

func (s *benchSink) Packet(_ int, h protocol.Header, data []byte) {
	s.seen[h.W0]++
	switch h.W0 {
	case 1:
		copy(s.buf[s.got:], data)
		s.got += len(data)
	case 99:
		s.rounds = int(h.W2)
	case 98:
		for i := range s.peerKey {
			s.peerKey[i] = 0
			for j := range 8 {
				s.peerKey[i] |= uint64(data[i*8+j]) << (8 * j)
			}
		}
	}
}

func (s *benchSink) Completed(uint64, error) {}
func (s *benchSink) Failed(peer int, cause string) {
	panic(fmt.Sprintf("peer %d: %s", peer, cause))
}

func (s *benchSink) send(to int, h protocol.Header, data []byte) {
	for !s.w.Push(to, h, data) {
		s.w.Poll(to, s)
	}
}

func (s *benchSink) await(kind uint64) {
	for s.seen[kind] == 0 {
		s.w.Poll(s.peer, s)
	}
	s.seen[kind]--
}

// message moves one message to or from the peer.
func (s *benchSink) message(out bool) {
	n := len(s.buf)
	half := n / 2
	switch s.how {
	case "push":
		if out {
			if n == 0 {
				s.send(s.peer, protocol.Header{W0: 1}, nil)
			}
			for sent := 0; sent < n; sent += s.fragment {
				s.send(s.peer, protocol.Header{W0: 1}, s.buf[sent:min(n, sent+s.fragment)])
			}
			return
		}
		if n == 0 {
			s.await(1)
		}
		for s.got < n {
			s.w.Poll(s.peer, s)
		}
		s.got = 0
	case "get", "direct":
		if out {
			s.send(s.peer, protocol.Header{W0: 2}, nil) // RTS
			s.await(3)                                  // fin
			return
		}
		s.await(2)
		s.done(s.w.Get(s.peer, s.peerKey, 0, s.buf, s.key, 0))
		s.send(s.peer, protocol.Header{W0: 3}, nil)
	case "put":
		if out {
			s.send(s.peer, protocol.Header{W0: 2}, nil)
			s.await(4) // CTS
			s.done(s.w.Put(s.peer, s.peerKey, 0, s.buf, s.key, 0))
			s.send(s.peer, protocol.Header{W0: 3}, nil)
			return
		}
		s.await(2)
		s.send(s.peer, protocol.Header{W0: 4}, nil)
		s.await(3)
	case "split", "directsplit":
		if out {
			s.send(s.peer, protocol.Header{W0: 2}, nil)
			s.await(4)
			s.done(s.w.Put(s.peer, s.peerKey, half, s.buf[half:], s.key, 0))
			s.send(s.peer, protocol.Header{W0: 3}, nil)
			s.await(3)
			return
		}
		s.await(2)
		s.send(s.peer, protocol.Header{W0: 4}, nil)
		s.done(s.w.Get(s.peer, s.peerKey, 0, s.buf[:half], s.key, 0))
		s.send(s.peer, protocol.Header{W0: 3}, nil)
		s.await(3)
	}
}

func (s *benchSink) done(r protocol.Started) {
	if r != protocol.Done {
		panic("a transfer is not done")
	}
}
