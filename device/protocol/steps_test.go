package protocol

import (
	"bytes"
	"errors"
	"testing"

	"gobench/device"
)

// brokenWire is a wire whose puts fail.
type brokenWire struct{ *boardWire }

func (w brokenWire) Put(int, Key, int, []byte, Key, uint64) Started { return Pending }

func (w brokenWire) Poll(from int, sink Sink) bool {
	if len(w.queues[w.rank][1]) == 0 {
		sink.Completed(0, errors.New("the network is broken"))
	}
	return w.boardWire.Poll(from, sink)
}

// steppingLink links out with memory of a rank 1 that makes no calls.
func steppingLink(t *testing.T, out, theirs []byte, wrap func(*boardWire) Wire) (*board, device.Link) {
	t.Helper()
	opts, err := device.ParseOptions(Options(), map[string]string{"wait": "spin"})
	if err != nil {
		t.Fatal(err)
	}
	b := newBoard(2, 8)
	key, _ := (&boardWire{board: b, rank: 1}).Register(theirs)
	w := wrap(&boardWire{board: b})
	raw, err := NewRaw(w, Config{Transport: "board", Size: 2, LocalSize: 1, Options: opts})
	if err != nil {
		t.Fatal(err)
	}
	var card [8 * 5]byte
	card[0], card[8] = byte(len(theirs)), byte(key[0])
	b.queues[0][1] = []boardPacket{{header(kindEager, 0, 0, 0, uint64(len(card))), card[:]}}
	l, err := Stepping(raw, w.(RMA)).(device.Linker).Link(1, out, make([]byte, len(out)))
	if err != nil {
		t.Fatal(err)
	}
	return b, l
}

func plain(w *boardWire) Wire { return w }

// Puts and gets move the data, also where the wire has no room at times and where they end later,
// and every round has its stamp.
func TestSteppingPutsAndGets(t *testing.T) {
	for _, pending := range []bool{false, true} {
		out, theirs := bytes.Repeat([]byte{1}, 64), make([]byte, 64)
		b, l := steppingLink(t, out, theirs, plain)
		b.pending, b.busy = pending, 5
		var stamps device.Stamps
		now := int64(0)
		stamps.Begin(make([]int64, 3), 100, func() int64 { now++; return now })
		if err := l.Put(300, 2, &stamps); err != nil || !bytes.Equal(out, theirs) {
			t.Errorf("pending %v: a put ended with %v, and its data is %v", pending, err, theirs)
		}
		if stamps.Made != 3 {
			t.Errorf("pending %v: %d stamps for 300 rounds, want 3", pending, stamps.Made)
		}
		copy(theirs, bytes.Repeat([]byte{2}, 64))
		b.busy = 5
		if err := l.Get(1, 3, nil); err != nil || !bytes.Equal(out, theirs) {
			t.Errorf("pending %v: a get ended with %v, and its data is %v", pending, err, out)
		}
	}
}

// A put that fails ends the loop by an error of the peer.
func TestSteppingEndsWithItsPeer(t *testing.T) {
	_, l := steppingLink(t, make([]byte, 64), make([]byte, 64), func(w *boardWire) Wire { return brokenWire{w} })
	err := l.Put(1, 1, nil)
	if _, ok := errors.AsType[*device.PeerError](err); !ok {
		t.Errorf("the error is %v, want one of the peer", err)
	}
}

// What a wire of puts and gets does not have is refused with a reason.
func TestSteppingOffers(t *testing.T) {
	s := &steps{}
	for _, op := range []device.LinkOperation{device.LinkPutPong, device.LinkFetchAdd, device.LinkCompareSwap} {
		if s.Offers(op) == nil {
			t.Errorf("%v is offered", op)
		}
	}
	if err := errors.Join(s.Offers(device.LinkPut), s.Offers(device.LinkGet)); err != nil {
		t.Error(err)
	}
}
