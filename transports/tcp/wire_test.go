package tcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"gobench/device"
	"gobench/device/protocol"
)

func openWire(ctx context.Context, job device.Job, opts device.Options, pairs protocol.Pairs) (*wire, protocol.Config, error) {
	w, c, err := driver{}.OpenWire(ctx, job, opts, pairs)
	own, _ := w.(*wire)
	return own, c, err
}

// pair opens the wires of two ranks of this process.
func pair(t *testing.T, set ...string) (a, b *wire) {
	t.Helper()
	var wires [2]*wire
	must(t, 2, func(ctx context.Context, job device.Job) error {
		w, _, err := openWire(ctx, job, options(t, set...), nil)
		wires[job.Rank()] = w
		return err
	})
	if t.Failed() {
		t.FailNow()
	}
	t.Cleanup(func() { wires[0].abandon(); wires[1].abandon() })
	return wires[0], wires[1]
}

// until polls the wires until cond holds. The deadline only ends a test that has failed.
func until(t *testing.T, what string, cond func() bool, poll ...func()) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !cond(); {
		for _, p := range poll {
			p()
		}
		if time.Now().After(end) {
			t.Fatalf("waited 20 s for %s", what)
		}
	}
}

// TestBackPressure pushes until there is no room: what was accepted arrives
// whole and in order, and there is room again.
func TestBackPressure(t *testing.T) {
	onAll(t, func(t *testing.T, set ...string) {
		a, b := pair(t, append(set, "sndbuf", "16KiB", "rcvbuf", "16KiB")...)
		data := pattern(20_000, 1)
		sent, bytesSent := 0, 0
		for a.Push(1, protocol.Header{W0: uint64(sent)}, data[:sent%len(data)]) {
			bytesSent += sent % len(data)
			sent++
			if bytesSent > 64<<20 {
				t.Fatal("64 MiB were accepted although nobody reads")
			}
		}
		sink, drop := &record{}, &record{}
		until(t, "all packets", func() bool { return len(sink.packets) == sent },
			func() { a.Poll(1, drop) }, func() { b.Poll(0, sink) })
		for i, got := range sink.packets {
			if want := fmt.Sprintf("0 %v %x", protocol.Header{W0: uint64(i)}, data[:i%len(data)]); got != want {
				t.Fatalf("packet %d differs", i)
			}
		}
		if !a.Push(1, protocol.Header{}, data) {
			t.Error("no room although everything has arrived")
		}
	})
}

// TestPutOrder checks that a packet pushed after a put comes after its data.
func TestPutOrder(t *testing.T) {
	onAll(t, func(t *testing.T, set ...string) {
		a, b := pair(t, set...)
		src, dst := pattern(9<<20, 3), make([]byte, 10<<20)
		key, _ := b.Register(dst)
		mine, _ := a.Register(src)
		if a.Put(1, key, 1000, src, mine, 77) == protocol.Busy {
			t.Fatal("busy although nothing is under way")
		}
		if s := a.Put(1, key, 0, src, mine, 78); s == protocol.Pending {
			t.Fatal("two puts to one peer at once")
		}
		sa, sb := &record{}, &record{}
		pushed := false
		until(t, "the packet behind the put", func() bool { return len(sb.packets) > 0 }, func() {
			pushed = pushed || a.Push(1, protocol.Header{W0: 5}, nil)
			a.Poll(1, sa)
			b.Poll(0, sb)
		})
		if !bytes.Equal(dst[1000:1000+len(src)], src) || dst[999] != 0 || dst[1000+len(src)] != 0 {
			t.Error("the packet came before the data of the put, or the put wrote elsewhere")
		}
		if err, ok := sa.completed[77]; !ok || err != nil {
			t.Errorf("the end of the put: %v %v", ok, err)
		}
	})
}

// TestBadPut checks that a peer that puts where it may not is given up, with the
// reason, and that nothing is written.
func TestBadPut(t *testing.T) {
	for name, bad := range map[string]func(k protocol.Key) protocol.Header{
		"no such buffer": func(k protocol.Key) protocol.Header { return putHeader(k[0]+5, 0, 8) },
		"past the end":   func(k protocol.Key) protocol.Header { return putHeader(k[0], 95, 8) },
		"old key":        func(k protocol.Key) protocol.Header { return putHeader(k[0]-1<<32, 0, 8) },
	} {
		t.Run(name, func(t *testing.T) {
			a, b := pair(t)
			dst := make([]byte, 100)
			key, _ := b.Register(dst)
			a.peers[1].out.send(frame{kind: framePut, header: bad(key)}, nil)
			a.peers[1].out.link.write(pattern(8, 1), nil, nil)
			sink := &record{}
			until(t, "the failure", func() bool { return sink.failed != nil }, func() { b.Poll(0, sink) })
			if !strings.Contains(sink.failed[0], "it put") || !bytes.Equal(dst, make([]byte, 100)) {
				t.Errorf("failed: %q", sink.failed[0])
			}
		})
	}
	a, _ := pair(t)
	sink := &record{}
	a.Put(1, protocol.Key{0, 100}, 60, make([]byte, 50), protocol.Key{}, 9)
	a.Get(1, protocol.Key{0, 100}, 0, make([]byte, 50), protocol.Key{}, 10)
	a.Poll(1, sink)
	if sink.completed[9] == nil || !errors.Is(sink.completed[10], errGet) {
		t.Errorf("a put that does not fit, and a get: %v", sink.completed)
	}
}

// TestGarbage has a peer send what is no frame.
func TestGarbage(t *testing.T) {
	onAll(t, func(t *testing.T, set ...string) {
		a, b := pair(t, set...)
		a.peers[1].out.link.write(bytes.Repeat([]byte("garbage!"), 10), nil, nil)
		sink := &record{}
		until(t, "the failure", func() bool { return sink.failed != nil }, func() { b.Poll(0, sink) })
		if !strings.Contains(sink.failed[0], "no frame") {
			t.Errorf("failed: %q", sink.failed[0])
		}
		if !b.Push(0, protocol.Header{}, nil) {
			t.Error("packets to a failed peer are to be dropped")
		}
	})
}

// TestWithdrawn takes a buffer away from a put that is half done.
func TestWithdrawn(t *testing.T) {
	onAll(t, func(t *testing.T, set ...string) {
		a, b := pair(t, set...)
		dst := make([]byte, 1000)
		key, _ := b.Register(dst)
		a.peers[1].out.send(frame{kind: framePut, header: putHeader(key[0], 0, 1000)}, nil)
		a.peers[1].out.link.write(make([]byte, 500), nil, nil)
		sink := &record{}
		in := &b.peers[0].in.in
		until(t, "half of the put", func() bool { return len(in.fill) == 500 }, func() { b.Poll(0, sink) })
		b.Deregister(key)
		until(t, "the failure", func() bool { return sink.failed != nil }, func() { b.Poll(0, sink) })
		if !strings.Contains(sink.failed[0], "withdrawn") {
			t.Errorf("failed: %q", sink.failed[0])
		}
	})
}

// TestVanishedRank closes the sockets of one rank without a word, as the
// kernel does for a process that is killed. What it sent before still arrives.
func TestVanishedRank(t *testing.T) {
	onAll(t, func(t *testing.T, set ...string) {
		a, b := pair(t, set...)
		big, _ := b.Register(make([]byte, 64<<20))
		src := make([]byte, 64<<20)
		b.Push(0, protocol.Header{}, []byte("last words"))
		mine, _ := b.Register(src)
		if got := b.Put(0, big, 0, src, mine, 3); got != protocol.Pending {
			t.Fatalf("a put of 64 MiB: %v", got)
		}
		a.abandon()
		sink := &record{}
		idle := func() { b.Idle(sink); time.Sleep(time.Millisecond) }
		until(t, "the failure", func() bool { return sink.failed != nil }, func() { b.Poll(0, sink) }, idle)
		if _, ok := sink.completed[3]; !ok {
			t.Error("the put under way was not reported")
		}
		if !strings.Contains(sink.failed[0], "its process has ended") {
			t.Errorf("failed: %q", sink.failed[0])
		}
	})
}

// TestCloseKeepsData closes one rank immediately while the other has read nothing.
func TestCloseKeepsData(t *testing.T) {
	onAll(t, func(t *testing.T, set ...string) {
		a, b := pair(t, set...)
		data := pattern(60_000, 1)
		for i := range 10 {
			if !a.Push(1, protocol.Header{W0: uint64(i)}, data) {
				t.Fatal("no room")
			}
		}
		b.Push(0, protocol.Header{}, data) // never read by a
		closed := make(chan error)
		go func() { closed <- a.Close() }()
		sink := &record{}
		until(t, "ten packets", func() bool { return len(sink.packets) == 10 }, func() { b.Poll(0, sink) })
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		if err := <-closed; err != nil {
			t.Error(err)
		}
	})
}
