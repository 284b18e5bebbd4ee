package protocol

import (
	"testing"

	"gobench/device"
)

// A message of a few packets goes in shorter ones, unless the user has set their size, the wire does
// not ask for it, or the peer has not taken the messages before.
func TestPacketsOfAMessage(t *testing.T) {
	limits := Limits{Packet: 64 << 10, Fragment: 32 << 10, LeastFragment: 16 << 10}
	plain := limits
	plain.LeastFragment = 0
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
		{limits, "32K", 64 << 10, 32 << 10},
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
			t.Errorf("fragment=%s, least %d: a message of %d bytes goes in packets of %d, want %d", c.fragment, c.limits.LeastFragment, c.size, got, c.want)
		}
		p.flow.spent++
		if got := p.packet(c.size); got != k.fragment {
			t.Errorf("fragment=%s: in a stream, a message of %d bytes goes in packets of %d, want %d", c.fragment, c.size, got, k.fragment)
		}
	}
}
