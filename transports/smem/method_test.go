package smem

import (
	"testing"

	"gobench/device/protocol"
)

func TestRoute(t *testing.T) {
	region := make([]byte, 8192)
	ordinary := make([]byte, 8192)
	theirs := protocol.Key{keyRegion}
	tunings := [distances]tuning{plain, plain}
	tunings[far].tables = [traffics]table{
		alone: filled(32<<10, protocol.Split), both: filled(0, protocol.Get), stream: filled(0, protocol.Pipeline), reachable: tunings[far].tables[reachable],
	}
	for _, c := range []struct {
		name  string
		reach reach
		far   bool
		size  int
		t     protocol.Transfer
		want  protocol.Route
	}{
		{"near, small", reachCMA, false, 64 << 10, protocol.Transfer{Mine: ordinary}, protocol.Route{Eager: true, Key: true, Method: protocol.Pipeline}},
		{"near", reachCMA, false, 64<<10 + 1, protocol.Transfer{Mine: ordinary}, protocol.Route{Key: true, Method: protocol.Pipeline}},
		{"far, small, for want of room", reachCMA, true, 32 << 10, protocol.Transfer{Mine: ordinary}, protocol.Route{Eager: true, Key: true, Method: protocol.Pipeline}},
		{"far", reachCMA, true, 32<<10 + 1, protocol.Transfer{Mine: ordinary}, protocol.Route{Key: true, Method: protocol.Split}},
		{"far without CMA", reachNone, true, 1 << 20, protocol.Transfer{Mine: ordinary}, protocol.Route{Key: true, Method: protocol.Pipeline}},
		{"far, crowded", reachCMA, true, 1 << 20, protocol.Transfer{Mine: ordinary, Crowded: true}, protocol.Route{Key: true, Method: protocol.Split}},
		{"far, both ways", reachCMA, true, 1 << 20, protocol.Transfer{Mine: ordinary, Both: true, Stream: true}, protocol.Route{Key: true, Method: protocol.Get}},
		{"far, a stream", reachCMA, true, 1 << 20, protocol.Transfer{Mine: ordinary, Stream: true}, protocol.Route{Key: true, Method: protocol.Pipeline}},
		{"far, streams of several peers", reachCMA, true, 1 << 20, protocol.Transfer{Mine: ordinary, Crowded: true, Stream: true}, protocol.Route{Key: true, Method: protocol.Split}},
		{"near, crowded", reachCMA, false, 1 << 20, protocol.Transfer{Mine: ordinary, Crowded: true}, protocol.Route{Key: true, Method: protocol.Put}},
		{"crowded without CMA", reachNone, false, 1 << 20, protocol.Transfer{Mine: ordinary, Crowded: true}, protocol.Route{Key: true, Method: protocol.Pipeline}},
		{"goroutines", reachDirect, false, 8<<10 + 1, protocol.Transfer{Mine: ordinary}, protocol.Route{Key: true, Method: protocol.Split}},
		{"goroutines, short", reachDirect, false, 8 << 10, protocol.Transfer{Mine: ordinary}, protocol.Route{Eager: true, Key: true, Method: protocol.Get}},
		{"own region, longer", reachCMA, false, 8<<10 + 1, protocol.Transfer{Mine: region}, protocol.Route{Key: true, Method: protocol.Put}},
		{"both regions, longer", reachCMA, true, 8<<10 + 1, protocol.Transfer{Alloced: true}, protocol.Route{Key: true, Method: protocol.Split}},
		{"goroutines, a region", reachDirect, false, 1 << 20, protocol.Transfer{Mine: region, Crowded: true}, protocol.Route{Key: true, Method: protocol.Split}},
		{"both regions", reachNone, true, 1 << 20, protocol.Transfer{Mine: region, Theirs: theirs, Keyed: true}, protocol.Route{Key: true, Method: protocol.Split}},
		{"their region", reachCMA, false, 1 << 20, protocol.Transfer{Mine: ordinary, Theirs: theirs, Keyed: true}, protocol.Route{Key: true, Method: protocol.Get}},
		{"own region", reachCMA, true, 1 << 20, protocol.Transfer{Mine: region[:100], Theirs: protocol.Key{keyAddress}, Keyed: true}, protocol.Route{Key: true, Method: protocol.Put}},
		{"no key", reachCMA, false, 1 << 20, protocol.Transfer{Mine: ordinary, Theirs: theirs}, protocol.Route{Key: true, Method: protocol.Pipeline}},
	} {
		w := &wire{peers: make([]peer, 2), tunings: tunings, reach: c.reach, regions: regions{{mem: region}}}
		w.peers[1].far = c.far
		if got := w.Route(1, c.size, c.t); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
