package protocol

import (
	"slices"
	"testing"

	"gobench/device"
)

// A message of a few packets goes in shorter ones, unless the wire does not ask for it or the peer
// has not taken the messages before.
func TestPacketsOfAMessage(t *testing.T) {
	limits := Limits{Packet: 64 << 10, Fragment: 32 << 10, Overlap: true}
	plain := limits
	plain.Overlap = false
	for _, c := range []struct {
		limits     Limits
		fragment   string
		size, want int
	}{
		{limits, "auto", 100, 32 << 10}, // it is one packet
		{limits, "auto", 32 << 10, 32 << 10},
		{limits, "auto", 32<<10 + 1, 16 << 10},
		{limits, "auto", 64 << 10, 16 << 10},
		{limits, "auto", 100000, 28 << 10},
		{limits, "auto", 128 << 10, 32 << 10},
		{limits, "auto", 4 << 20, 32 << 10},
		{limits, "8K", 64 << 10, 8 << 10},
		{limits, "8K", 16 << 10, 4 << 10},
		{limits, "auto", 64<<10 + 1, 20 << 10},
		{limits, "32K", 64 << 10, 16 << 10},
		{plain, "auto", 64 << 10, 32 << 10},
	} {
		given := map[string]string{}
		if c.fragment != "auto" {
			given["fragment"] = c.fragment
		}
		options, err := device.ParseOptions(Options(), given)
		if err != nil {
			t.Fatal(err)
		}
		k := carrier{limits: c.limits}
		if err := k.configure(Config{Size: 2, Options: options}, settings{budget: 16 << 20}); err != nil {
			t.Fatal(err)
		}
		p := peer{carrier: &k}
		if got := p.packet(c.size); got != c.want {
			t.Errorf("fragment=%s, overlap %v: a message of %d bytes goes in packets of %d, want %d", c.fragment, c.limits.Overlap, c.size, got, c.want)
		}
		p.flow.spent++
		if got := p.packet(c.size); got != k.fragment {
			t.Errorf("fragment=%s: in a stream, a message of %d bytes goes in packets of %d, want %d", c.fragment, c.size, got, k.fragment)
		}
	}
}

// packetWire takes as many packets as it has room for and records their sizes. Nothing comes from
// the peer.
type packetWire struct {
	room  int
	sizes []int
}

func (w *packetWire) Push(_ int, _ Header, data []byte) bool {
	if w.room == 0 {
		return false
	}
	w.room--
	w.sizes = append(w.sizes, len(data))
	return true
}

func (w *packetWire) Poll(int, Sink) bool { return false }
func (w *packetWire) Idle(Sink)           {}
func (w *packetWire) Close() error        { return nil }
func (w *packetWire) Limits() Limits {
	return Limits{Packet: 32 << 10, Fragment: 32 << 10, EagerLimit: 64 << 10, Overlap: true}
}

// A first message of 64 KiB goes in four packets, at both levels. What had no room goes in long
// ones, as does a message that follows before the peer has taken the first one.
func TestPacketsThatArePushed(t *testing.T) {
	options, err := device.ParseOptions(Options(), nil)
	if err != nil {
		t.Fatal(err)
	}
	const short, long = 16 << 10, 32 << 10
	for _, level := range []string{"device", "raw"} {
		for _, c := range []struct {
			room int // before the sends; there is more afterwards
			want []int
		}{
			{10, []int{short, short, short, short, long, long}},
			{1, []int{short, long, short, long, long}},
		} {
			w := &packetWire{room: c.room}
			config := Config{Transport: "packets", Size: 2, LocalSize: 1, Options: options}
			var d device.Channel
			if level == "raw" {
				d, err = NewRaw(w, config)
			} else {
				d, err = New(w, config)
			}
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				q, err := d.Isend(make([]byte, 64<<10), 1, 0, 0)
				if err != nil {
					t.Fatal(err)
				}
				w.room = 10
				if _, done, err := d.Test(q); !done || err != nil {
					t.Errorf("level %s, room for %d: the send is not complete: %v", level, c.room, err)
				}
			}
			if !slices.Equal(w.sizes, c.want) {
				t.Errorf("level %s, room for %d: packets of %d, want %d", level, c.room, w.sizes, c.want)
			}
		}
	}
}
