package protocol

import (
	"bytes"
	"errors"
	"testing"

	"gobench/device"
)

// TestLongPackets delivers a long packet before its receive, while it arrives, and after it, to a
// buffer that is long enough and to one that is not.
func TestLongPackets(t *testing.T) {
	const size = 1000
	for _, room := range []int{size, size + 10, size - 1} {
		for _, when := range []string{"before", "while", "after"} {
			d := newBoard(2, 100).devices(t, nil)[1]
			in := make([]byte, room)
			var r device.Request
			post := func(now string) {
				if when == now {
					var err error
					if r, err = d.Irecv(in, 0, 1, 1); err != nil {
						t.Fatal(err)
					}
				}
			}
			post("before")
			memory := d.Land(0, header(kindEager, 0, 1, 1, size), size)
			if len(memory) != size {
				t.Fatalf("room %d, posted %s: %d bytes of memory", room, when, len(memory))
			}
			if direct := &memory[0] == &in[0]; direct != (when == "before" && room >= size) {
				t.Errorf("room %d, posted %s: the data go to the receive: %v", room, when, direct)
			}
			post("while")
			out := fill(make([]byte, size), 3)
			copy(memory, out)
			if when != "after" {
				if _, done, err := d.Test(r); done || err != nil {
					t.Errorf("room %d, posted %s: done %v before the data, %v", room, when, done, err)
				}
			}
			d.Landed(0)
			post("after")
			st, done, err := d.Test(r)
			if short := (*device.TruncationError)(nil); !done || errors.As(err, &short) != (room < size) || room >= size && err != nil {
				t.Errorf("room %d, posted %s: done %v, %v", room, when, done, err)
			}
			if n := min(room, size); st.Size != size || !bytes.Equal(in[:n], out[:n]) {
				t.Errorf("room %d, posted %s: %d bytes, or others than were sent", room, when, st.Size)
			}
			if f := d.peers[0].flow; f.held != 0 || f.freed != cost(size) {
				t.Errorf("room %d, posted %s: %d units held, %d freed, want 0, %d", room, when, f.held, f.freed, cost(size))
			}
		}
	}
}

// A peer whose long packet is not an eager message within the limits is lost.
func TestLongPacketsRefused(t *testing.T) {
	for name, h := range map[string]Header{
		"other size":        header(kindEager, 0, 1, 1, 999),
		"other kind":        header(kindFragment, 0, 1, 1, 1000),
		"credit of nothing": {W0: header(kindEager, 0, 1, 1, 0).W0, W1: 1 | 1<<32, W2: 1000},
	} {
		d := newBoard(2, 100).devices(t, nil)[1]
		if memory := d.Land(0, h, 1000); memory != nil || d.peers[0].err == nil {
			t.Errorf("%s: %d bytes of memory, error %v", name, len(memory), d.peers[0].err)
		}
	}
	d := newBoard(2, 100).devices(t, nil)[1]
	limit := d.peers[0].eagerLimit
	if d.Land(0, header(kindEager, 0, 1, 1, uint64(limit+1)), limit+1) != nil || d.peers[0].err == nil {
		t.Errorf("a long packet of %d bytes was taken", limit+1)
	}
}

// After the goodbye of a peer the memory of a long packet would be free before its data are in
// place.
func TestLongPacketAfterTheGoodbye(t *testing.T) {
	d := newBoard(2, 100).devices(t, nil)[1]
	if err := d.Bind(1, []int{0, 1}); err != nil {
		t.Fatal(err)
	}
	d.Packet(0, header(kindBye, 0, 0, 0, 0), nil)
	if memory := d.Land(0, header(kindEager, 0, 1, 1, 1000), 1000); memory != nil || d.peers[0].err == nil {
		t.Errorf("%d bytes of memory, error %v", len(memory), d.peers[0].err)
	}
}

// A receive that is too short for a long packet ends with its peer, if that has exceeded its
// budget.
func TestLongPacketBeyondTheBudget(t *testing.T) {
	d := newBoard(2, 100).devices(t, map[string]string{"eager_budget": "4KiB"})[1]
	r, err := d.Irecv(make([]byte, 10), 0, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	for d.Land(0, header(kindEager, 0, 2, 1, 1000), 1000) != nil && d.peers[0].flow.held < d.peers[0].flow.budget {
		d.Landed(0)
	}
	d.Landed(0)
	if d.Land(0, header(kindEager, 0, 1, 1, 1000), 1000) != nil {
		t.Fatal("a long packet beyond the budget was taken")
	}
	if _, done, err := d.Test(r); !done {
		t.Error("the receive waits for a peer that is lost")
	} else {
		lostTo(t, err, 0)
	}
}
