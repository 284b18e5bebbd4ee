package protocol

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"gobench/device"
	"gobench/internal/fuzzing"
)

func lostTo(t *testing.T, err error, rank int) {
	t.Helper()
	var lost *device.PeerError
	if !errors.As(err, &lost) || lost.Rank != rank {
		t.Errorf("error %v, want a *PeerError of rank %d", err, rank)
	}
}

// TestPeerDiesInEveryState brings requests into every state that needs rank 2, lets
// it die, and expects each to end with an error that names it, and the rest to go on.
func TestPeerDiesInEveryState(t *testing.T) {
	for _, method := range []Method{Pipeline, Get, Put, Split} {
		b := newBoard(3, 2, method)
		b.pending, b.stuck = true, true
		all := b.devices(t, nil)
		d := all[0]
		big := make([]byte, 100_000)
		var needs []device.Request
		add := func(r device.Request, err error) {
			if err != nil {
				t.Fatal(err)
			}
			needs = append(needs, r)
		}
		add(d.Irecv(big, 2, 1, 1))
		add(d.Irecv(big, device.AnySource, 1, 2))
		received := len(needs)
		add(d.Irecv(big, 2, 7, 1))
		add(d.Isend(big, 2, 1, 1))
		add(d.Issend(nil, 2, 1, 1))
		for range 10 { // more than the queue takes
			add(d.Issend(big[:8], 2, 1, 1))
		}
		all[2].Isend(big, 0, 7, 1)      // matches a receive of rank 0
		all[2].Isend(big, 0, 8, 1)      // stays unexpected
		all[2].Isend(big[:64], 0, 9, 1) // whole, unexpected: survives
		for range 4 {
			all[2].progress(0)
			d.progress(2)
		}
		for range 20 {
			d.progress(2)
		}
		alive, _ := d.Irecv(big, 1, 1, 1)
		d.Failed(2, "the test says so")
		settleAll(all[:2])
		for i, r := range needs {
			_, done, err := d.Test(r)
			if !done {
				t.Errorf("%v: request %d is not done", method, i)
				continue
			}
			if i == received && method == Put {
				continue // the sender had written it before it died
			}
			lostTo(t, err, 2)
		}
		_, err := d.Isend(big, 2, 1, 1)
		lostTo(t, err, 2)
		_, err = d.Irecv(big, 2, 1, 1)
		lostTo(t, err, 2)
		_, _, err = d.Iprobe(device.AnySource, 1, 1)
		lostTo(t, err, 2)
		all[1].Isend(big[:10], 0, 1, 1)
		settleAll(all[:2])
		if _, done, err := d.Test(alive); !done || err != nil {
			t.Errorf("%v: traffic with a living peer: done %v, %v", method, done, err)
		}
		if len(d.backlog) != 0 || d.requests.live != 0 {
			t.Errorf("%v: the dead peer is still waited for", method)
		}
	}
}

// TestGoodbye: what a rank sent before it closed can be received; what it can
// never send is an error; receives from any source go on while others are left.
func TestGoodbye(t *testing.T) {
	b := newBoard(3, 100)
	all := b.devices(t, nil)
	all[2].Isend([]byte("last words"), 0, 1, 1)
	all[2].answer(&all[2].peers[0], header(kindBye, 0, 0, 0, 0), nil)
	any, _ := all[0].Irecv(make([]byte, 10), device.AnySource, 2, 1)
	settleAll(all)
	buf := make([]byte, 10)
	if st, err := all[0].Recv(buf, 2, 1, 1); err != nil || string(buf) != "last words" || st.Size != 10 {
		t.Errorf("received %q, %v", buf, err)
	}
	_, err := all[0].Irecv(buf, 2, 1, 1)
	lostTo(t, err, 2)
	all[1].Isend([]byte("hello"), 0, 2, 1)
	settleAll(all)
	if _, done, err := all[0].Test(any); !done || err != nil {
		t.Errorf("receive from any source: done %v, %v", done, err)
	}
	all[1].answer(&all[1].peers[0], header(kindBye, 0, 0, 0, 0), nil)
	settleAll(all)
	_, err = all[0].Irecv(buf, device.AnySource, 1, 1)
	lostTo(t, err, 1)
}

// TestGoodbyeNamesTheDead: a rank that only hears that others give up is told why, however
// many have passed it on.
func TestGoodbyeNamesTheDead(t *testing.T) {
	b := newBoard(4, 100)
	all := b.devices(t, nil)
	all[2].Failed(3, "the test says so")
	for _, giving := range []int{2, 1} { // to the rank before
		to := giving - 1
		r, _ := all[to].Irecv(make([]byte, 10), giving, 1, 1)
		all[giving].answer(&all[giving].peers[to], header(kindBye, 0, 0, 0, all[giving].deadRank()), nil)
		settleAll(all[:3])
		_, done, err := all[to].Test(r)
		if !done || err == nil || err.Error() != fmt.Sprintf("rank %d is lost: it has given up because rank 3 is lost", giving) {
			t.Errorf("rank %d is told %v (done %v)", to, err, done)
		}
	}
}

// TestEagerMemoryIsBounded floods a rank that receives nothing. It may hold no
// more than its budget; the rest is announced, and the last message can be had first.
func TestEagerMemoryIsBounded(t *testing.T) {
	b := newBoard(2, 64, Get)
	all := b.devices(t, map[string]string{"eager_budget": "64KiB"})
	const n = 10_000
	out := make([][]byte, n)
	sends := make([]device.Request, n)
	for i := range n {
		out[i] = fill(make([]byte, 1000), i)
		sends[i], _ = all[0].Isend(out[i], 1, int32(i), 1)
	}
	settleAll(all)
	held := 0
	for m := all[1].unexpected.head; m != nil; m = m.nextAny {
		held += cap(m.data)
	}
	if held == 0 || held > 64<<10 {
		t.Errorf("%d bytes are held, want some and at most 64 KiB", held)
	}
	for i := n - 1; i >= 0; i-- {
		in := make([]byte, 1000)
		r, _ := all[1].Irecv(in, 0, int32(i), 1)
		settleAll(all)
		if _, done, err := all[1].Test(r); !done || err != nil || string(in) != string(out[i]) {
			t.Fatalf("message %d: done %v, %v", i, done, err)
		}
	}
	for i, s := range sends {
		if _, done, err := all[0].Test(s); !done || err != nil {
			t.Fatalf("send %d: done %v, %v", i, done, err)
		}
	}
}

// TestOverdraft: a peer that sends more eager memory than agreed is cut off.
func TestOverdraft(t *testing.T) {
	b := newBoard(2, 64)
	d := b.devices(t, map[string]string{"eager_budget": "4KiB"})[0]
	for range 5 {
		d.Packet(1, header(kindEager, 0, 1, 1, 1000), make([]byte, 256))
		for range 2 {
			d.Packet(1, header(kindFragment, 0, 0, 0, 0), make([]byte, 256))
		}
		d.Packet(1, header(kindFragment, 0, 0, 0, 0), make([]byte, 232))
	}
	if err := d.peers[1].err; err == nil || !strings.Contains(err.Error(), "more eager messages than agreed") {
		t.Errorf("the peer is lost by %v", err)
	}
}

// FuzzPackets feeds a device, with requests in many states, packets that no
// correct peer sends. It may lose the peer, and must do nothing else.
func FuzzPackets(t *testing.F) {
	f := fuzzing.New(t)
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0, 0})
	for k := kindEager; k <= kindEnd; k++ {
		b := make([]byte, HeaderSize+1)
		header(k, 0, 1, 1, 1<<32).Encode(b)
		f.Add(append(b, make([]byte, 60)...))
	}
	long := append(make([]byte, HeaderSize), 255)
	header(kindEager, 0, 1, 1, 1000).Encode(long)
	f.Add(append(long, 0))
	options, err := device.ParseOptions(Options(), nil)
	if err != nil {
		f.Fatal(err)
	}
	big := make([]byte, 10_000)
	guard := make([]byte, 9000)
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > 2048 {
			return
		}
		b := newBoard(2, 8, Split)
		d := b.device(t, 0, options)
		clear(guard)
		d.Irecv(guard[:3000:3000], 1, 1, 1)
		d.Irecv(guard[4000:4010:4010], device.AnySource, device.AnyTag, 1)
		d.Isend(big[:100], 1, 1, 1)
		d.Isend(big, 1, 1, 1)
		s, _ := d.Issend(big[:10], 1, 1, 1)
		d.Cancel(s)
		for len(script) > HeaderSize {
			n := min(int(script[HeaderSize]), len(script)-HeaderSize-1)
			h := DecodeHeader(script)
			if size := int(h.W2) & 0xfff; script[HeaderSize] < 255 || size == 0 {
				d.Packet(1, h, script[HeaderSize+1:HeaderSize+1+n])
			} else if memory := d.Land(1, h, size); memory == nil {
				d.Failed(1, "its long packet has no place")
			} else {
				fill(memory, 1)
				d.Landed(1)
			}
			script = script[HeaderSize+1+n:]
			for d.wireIsFull() {
				b.queues[1][0] = nil
			}
			d.drain()
		}
		for i, c := range guard {
			if c != 0 && !(i < 3000 || i >= 4000 && i < 4010) {
				t.Fatalf("byte %d outside every buffer was written", i)
			}
		}
		d.Failed(1, "end of the test")
		if d.requests.live != len(completed(d)) {
			t.Fatal("a request outlives its peer")
		}
	})
}

func (d *Device) wireIsFull() bool {
	w := d.carriers[0].wire.(*boardWire)
	return len(w.queues[1][0]) >= w.room
}

func completed(d *Device) (all []*request) {
	for r := d.requests.done.head; r != nil; r = r.next {
		all = append(all, r)
	}
	return all
}
