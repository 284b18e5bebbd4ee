package tcp

import (
	"context"
	"net/netip"
	"slices"
	"testing"

	"gobench/device"
	"gobench/internal/netif"
)

func candidate(name, prefix string, gigabits int64) netif.Candidate {
	p := netip.MustParsePrefix(prefix)
	return netif.Candidate{Interface: name, Addr: p.Addr(), Bits: p.Bits(), Speed: gigabits * 1e9}
}

// TestTargets orders the addresses of a peer whose interfaces have other names, and ties both ends if
// option bind is set.
func TestTargets(t *testing.T) {
	own := []netif.Candidate{candidate("eno1", "192.168.5.7/24", 1), candidate("ens2", "10.1.0.7/16", 25)}
	peer := endpoint{Addresses: []address{
		{candidate("ib0", "10.8.0.9/16", 100), 4000},
		{candidate("eth0", "192.168.5.9/24", 1), 4001},
		{candidate("eth1", "10.1.0.9/16", 25), 4002},
		{candidate("eth2", "10.1.0.10/16", 25), 0}, // where it cannot listen
	}}
	var want []target
	for _, s := range []string{"10.1.0.9:4002", "192.168.5.9:4001", "10.8.0.9:4000"} {
		want = append(want, target{to: s})
	}
	if got := targets(peer, own, false); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for i, from := range []string{"10.1.0.7", "192.168.5.7", "192.168.5.7"} {
		want[i].from = netip.MustParseAddr(from)
	}
	if got := targets(peer, own, true); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestRoute names no interfaces where all ranks are on one host.
func TestRoute(t *testing.T) {
	must(t, 2, func(ctx context.Context, job device.Job) error {
		d, err := driver{}.Open(ctx, job, options(t, "bind", "127.0.0.1"))
		if err != nil {
			return err
		}
		if info := d.Info(); info.Route != "" || info.MTU != 0 || info.Warnings != nil {
			t.Errorf("route %q, MTU %d, warnings %q", info.Route, info.MTU, info.Warnings)
		}
		return d.Close()
	})
}
