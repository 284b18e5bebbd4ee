package protocol

import (
	"bytes"
	"testing"

	"gobench/device"
)

// The receiver's Route knows whether messages of other peers are awaited.
func TestRouteOfCrowded(t *testing.T) {
	for _, c := range []struct {
		name    string
		others  []int // sources of what else is awaited
		crowded bool
	}{{"alone", nil, false}, {"the same peer", []int{0, 0}, false}, {"another peer", []int{2}, true}, {"any", []int{device.AnySource}, false}} {
		t.Run(c.name, func(t *testing.T) {
			b := newBoard(3, 4, Pipeline, Get, Put, Split)
			b.route = func(_, _ int, t Transfer) Route {
				if t.Crowded {
					return Route{Key: true, Method: Put}
				}
				return Route{Key: true, Method: Pipeline}
			}
			all := b.devices(t, nil)
			in, out := make([]byte, 5000), fill(make([]byte, 5000), 1)
			recv, err := all[1].Irecv(in, 0, 5, 9)
			if err != nil {
				t.Fatal(err)
			}
			for _, source := range c.others {
				if _, err := all[1].Irecv(make([]byte, 10), source, 6, 9); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := all[0].Isend(out, 1, 5, 9); err != nil {
				t.Fatal(err)
			}
			settleAll(all)
			if _, done, err := all[1].Test(recv); !done || err != nil || !bytes.Equal(in, out) {
				t.Fatalf("done %v, %v, right data %v", done, err, bytes.Equal(in, out))
			}
			if packets := b.pushed[kindData]; (packets == 0) != c.crowded {
				t.Errorf("%d packets of data, want none in a crowd alone", packets)
			}
		})
	}
}

// The receiver's Route knows whether more messages of the sender are awaited, or wait for their
// receives: of several messages, only the last one is followed by no other.
func TestRouteOfStreams(t *testing.T) {
	packets := func(messages int, awaited bool) int {
		b := newBoard(2, 4, Pipeline, Put)
		b.route = func(_, _ int, t Transfer) Route {
			if t.Stream {
				return Route{Key: true, Method: Put}
			}
			return Route{Key: true, Method: Pipeline}
		}
		all := b.devices(t, nil)
		var pending []device.Request
		receive := func() {
			for range messages {
				r, err := all[1].Irecv(make([]byte, 5000), 0, 5, 9)
				if err != nil {
					t.Fatal(err)
				}
				pending = append(pending, r)
			}
		}
		if awaited {
			receive()
		}
		for range messages {
			if _, err := all[0].Isend(make([]byte, 5000), 1, 5, 9); err != nil {
				t.Fatal(err)
			}
		}
		settleAll(all)
		if !awaited {
			receive()
			settleAll(all)
		}
		for _, r := range pending {
			if _, done, err := all[1].Test(r); !done || err != nil {
				t.Fatalf("done %v, %v", done, err)
			}
		}
		return b.pushed[kindData]
	}
	one := packets(1, true)
	for _, awaited := range []bool{true, false} {
		if got := packets(3, awaited); one == 0 || got != one {
			t.Errorf("awaited %v: %d packets of data of three messages, want the %d of one", awaited, got, one)
		}
	}
}

// A Router decides between smallLimit and eagerLimit, and about announced messages, unless an
// option does.
func TestRouteAndOptions(t *testing.T) {
	for _, c := range []struct {
		name string
		set  map[string]string
		near int // largest eager message to peer 1, of which the Router says that it is eager
		far  int // to peer 2
		want Route
	}{
		{"auto", nil, 16 << 10, alwaysEager, Route{Key: true, Method: Pipeline}},
		{"a large eager_limit", map[string]string{"eager_limit": "8KiB"}, 8 << 10, 8 << 10, Route{Key: true, Method: Pipeline}},
		{"a small eager_limit", map[string]string{"eager_limit": "10"}, 10, 10, Route{Key: true, Method: Pipeline}},
		{"rndv=put", map[string]string{"rndv": "put"}, 16 << 10, alwaysEager, Route{Method: Put}},
		{"rndv=split", map[string]string{"rndv": "split"}, 16 << 10, alwaysEager, Route{Key: true, Method: Split}},
	} {
		b := newBoard(3, 4, Put, Split)
		b.route = func(peer, size int, _ Transfer) Route {
			return Route{Eager: peer == 1, Key: true, Method: Pipeline}
		}
		opts, err := device.ParseOptions(Options(), c.set)
		if err != nil {
			t.Fatal(err)
		}
		w := largeWire{routedWire{&boardWire{board: b}}}
		carriers, _, err := Config{Transport: "board", Size: 3, LocalSize: 3, Options: opts}.settings(w)
		if err != nil {
			t.Fatal(err)
		}
		s := carriers[0]
		for peer, limit := range []int{1: c.near, 2: c.far} {
			if peer > 0 && (!s.eager(peer, make([]byte, limit)) || s.eager(peer, make([]byte, limit+1))) {
				t.Errorf("%s: the largest eager message to peer %d is not %d bytes", c.name, peer, limit)
			}
		}
		got := s.route(1, 1<<20, Transfer{})
		if got.Eager = false; got != c.want {
			t.Errorf("%s: route %+v, want %+v", c.name, got, c.want)
		}
	}
}

// largeWire has an eager limit above alwaysEager.
type largeWire struct{ routedWire }

func (w largeWire) Limits() Limits {
	l := w.routedWire.Limits()
	l.EagerLimit = 16 << 10
	return l
}
