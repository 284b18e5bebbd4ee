//go:build verbs && cgo

package verbs

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"gobench/device/protocol"
	"gobench/internal/allocs"
)

// countedWire counts what the protocol requests of a wire.
type countedWire struct {
	*wire
	controls            int // packets that are neither the data of a message nor a goodbye
	puts, gets, notices int // notices without a put
}

func (w *countedWire) Push(peer int, h protocol.Header, data []byte) bool {
	done := w.wire.Push(peer, h, data)
	if kind := h.Kind(); done && kind != "eager" && kind != "fragment" && kind != "data" && kind != "bye" {
		w.controls++
	}
	return done
}

func (w *countedWire) Put(peer int, dst protocol.Key, offset int, src []byte, srcKey protocol.Key, token uint64) protocol.Started {
	s := w.wire.Put(peer, dst, offset, src, srcKey, token)
	if s != protocol.Busy {
		w.puts++
	}
	return s
}

func (w *countedWire) Get(peer int, src protocol.Key, offset int, dst []byte, dstKey protocol.Key, token uint64) protocol.Started {
	s := w.wire.Get(peer, src, offset, dst, dstKey, token)
	if s != protocol.Busy {
		w.gets++
	}
	return s
}

func (w *countedWire) PutNotice(peer int, dst protocol.Key, offset int, src []byte, srcKey protocol.Key, token uint64, word uint32) protocol.Started {
	s := w.wire.PutNotice(peer, dst, offset, src, srcKey, token, word)
	if s != protocol.Busy {
		w.puts++
	}
	return s
}

func (w *countedWire) Notice(peer int, word uint32) bool {
	done := w.wire.Notice(peer, word)
	if done {
		w.notices++
	}
	return done
}

// A rendezvous by write costs two control messages, one by read costs one, where the network has
// immediate data, and one more each where it has not.
func TestControlMessages(t *testing.T) {
	for _, c := range []struct {
		device, rndv   string
		controls, puts int
		gets, notices  int
		want           string
	}{
		{"rxe0", "put", 2, 1, 0, 0, "RTS, CTS"},
		{"rxe0", "get", 1, 0, 1, 1, "RTS"},
		{"siw0", "put", 3, 1, 0, 0, "RTS, CTS, FIN"},
		{"siw0", "get", 2, 0, 1, 0, "RTS, FIN"},
	} {
		t.Run(c.device+" "+c.rndv, func(t *testing.T) {
			wires, configs := openPair(t, map[string]string{"device": c.device, "rndv": c.rndv})
			var counted [2]*countedWire
			var both sync.WaitGroup
			in, out := make([]byte, 1<<20), bytes.Repeat([]byte("gobench "), 1<<17)
			for rank := range 2 {
				counted[rank] = &countedWire{wire: wires[rank]}
				both.Go(func() {
					d, err := protocol.New(counted[rank], configs[rank])
					if err != nil {
						t.Error(err)
						return
					}
					if rank == 0 {
						err = d.Send(out, 1, 0, 0)
					} else {
						_, err = d.Recv(in, 0, 0, 0)
					}
					if err != nil {
						t.Error(err)
					}
					if err := d.Close(); err != nil {
						t.Error(err)
					}
				})
			}
			both.Wait()
			if !bytes.Equal(in, out) {
				t.Error("the message is not what was sent")
			}
			if n := counted[0].controls + counted[1].controls; n != c.controls {
				t.Errorf("%d control messages, want %d (%s)", n, c.controls, c.want)
			}
			if counted[0].puts != c.puts || counted[1].gets != c.gets || counted[1].notices != c.notices {
				t.Errorf("%d puts, %d gets, %d notices, want %d, %d, %d", counted[0].puts, counted[1].gets, counted[1].notices,
					c.puts, c.gets, c.notices)
			}
		})
	}
}

// A key that no buffer has is refused by the peer's adapter, and the connection ends.
func TestWrongKey(t *testing.T) {
	for device, want := range map[string]string{
		"rxe0": "RDMA write failed: IBV_WC_REM_ACCESS_ERR", // soft-RoCE names the operation
		// soft-iWARP ends the connection, for whatever cause it may name
		"siw0": "",
	} {
		t.Run(device, func(t *testing.T) {
			wires, _ := openPair(t, map[string]string{"device": device, "notice": "off"})
			var sinks [2]*sinkRecord
			for i, w := range wires {
				sinks[i] = new(sinkRecord)
				defer w.abandon()
			}
			from, to := make([]byte, 4096), make([]byte, 4096)
			mine, err := wires[0].Register(from)
			if err != nil {
				t.Fatal(err)
			}
			theirs, err := wires[1].Register(to)
			if err != nil {
				t.Fatal(err)
			}
			theirs[2] ^= 0x5a00 // another key
			from[0] = 1
			if s := wires[0].Put(1, theirs, 0, from, mine, 7); s != protocol.Pending {
				t.Fatalf("Put says %v", s)
			}
			spin(t, wires, sinks, func() bool { return sinks[0].failed != "" || sinks[1].failed != "" })
			if !strings.Contains(sinks[0].failed, want) {
				t.Errorf("the error is %q, want %q in it", sinks[0].failed, want)
			}
			if to[0] != 0 {
				t.Error("the data was written all the same")
			}
		})
	}
}

// A put that does not fit the peer's buffer never leaves.
func TestPutBeyondTheBuffer(t *testing.T) {
	wires, _ := openPair(t, nil)
	sinks := [2]*sinkRecord{new(sinkRecord), new(sinkRecord)}
	for _, w := range wires {
		defer w.abandon()
	}
	buf := make([]byte, 100)
	mine, _ := wires[0].Register(buf)
	theirs, _ := wires[1].Register(make([]byte, 50))
	wires[0].Put(1, theirs, 0, buf, mine, 1)
	wires[0].Put(1, theirs, 51, buf[:0], mine, 2)
	spin(t, wires, sinks, func() bool { return len(sinks[0].completed) == 2 })
	for _, err := range sinks[0].completed {
		if err == nil || !strings.Contains(err.Error(), "do not fit") {
			t.Errorf("the error is %v", err)
		}
	}
}

// A message longer than one request may be goes in several.
func TestSegments(t *testing.T) {
	wires, _ := openPair(t, map[string]string{"segment": "1000", "queue": "8"})
	sinks := [2]*sinkRecord{new(sinkRecord), new(sinkRecord)}
	for _, w := range wires {
		defer w.abandon()
	}
	from, to := bytes.Repeat([]byte("0123456789"), 10_001), make([]byte, 100_010)
	mine, _ := wires[0].Register(from)
	theirs, _ := wires[1].Register(to)
	wires[0].PutNotice(1, theirs, 0, from, mine, 1, 77)
	spin(t, wires, sinks, func() bool { return len(sinks[1].words) == 1 })
	if sinks[1].words[0] != 77 || !bytes.Equal(from, to) {
		t.Errorf("word %d, data equal: %v", sinks[1].words[0], bytes.Equal(from, to))
	}
}

// A rank that waits for a message of its own is not disturbed by what comes from others.
func TestLookAtSelf(t *testing.T) {
	wires, _ := openPair(t, nil)
	for _, w := range wires {
		defer w.abandon()
	}
	if !wires[0].Push(1, protocol.Header{W0: 1}, []byte("x")) {
		t.Fatal("there is no room for one packet")
	}
	for wires[1].next == len(wires[1].events) {
		if _, _, ok := wires[1].Peek(1, 64); ok {
			t.Fatal("a packet from this very rank")
		}
	}
	if _, data, ok := wires[1].Peek(0, 64); !ok || string(data) != "x" {
		t.Errorf("the packet is %q, %v", data, ok)
	}
}

// A packet that is sent and looked for allocates nothing.
func TestPacketsAllocateNothing(t *testing.T) {
	wires, _ := openPair(t, nil)
	data := make([]byte, 300)
	exchange := func() {
		for from := range 2 {
			if !wires[from].Push(1-from, protocol.Header{W0: 1}, data) {
				t.Fatal("there is no room for one packet")
			}
			for {
				if _, got, ok := wires[1-from].Peek(from, 64); ok {
					if len(got) != len(data) {
						t.Fatalf("%d bytes of %d", len(got), len(data))
					}
					wires[1-from].Pop(from)
					break
				}
			}
		}
	}
	exchange()
	if n := allocs.Count(200, exchange); n != 0 {
		t.Errorf("%v allocations", n)
	}
	for _, w := range wires {
		w.abandon()
	}
}

// What a waiting rank does now and then allocates nothing either.
func TestIdleAllocatesNothing(t *testing.T) {
	for _, device := range []string{"rxe0", "siw0"} {
		wires, _ := openPair(t, map[string]string{"device": device})
		sink := new(sinkRecord)
		if n := allocs.Count(100, func() { wires[0].Idle(sink) }); n != 0 {
			t.Errorf("%s: Idle allocates %v times", device, n)
		}
		for _, w := range wires {
			w.abandon()
		}
	}
}
