package tcp

import (
	"context"
	"fmt"
	"net/netip"
	"runtime"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/device/contact"
	"gobench/internal/netif"
)

func candidate(name, prefix string, gigabits int64) netif.Candidate {
	p := netip.MustParsePrefix(prefix)
	return netif.Candidate{Interface: name, Addr: p.Addr(), Bits: p.Bits(), Speed: gigabits * 1e9}
}

// TestTargets orders the addresses of a peer whose interfaces have other names, and ties both ends
// if option bind is set.
func TestTargets(t *testing.T) {
	own := []netif.Candidate{candidate("eno1", "192.168.5.7/24", 1), candidate("ens2", "10.1.0.7/16", 25)}
	peer := endpoint{Addresses: []address{
		{candidate("ib0", "10.8.0.9/16", 100), 4000},
		{candidate("eth0", "192.168.5.9/24", 1), 4001},
		{candidate("eth1", "10.1.0.9/16", 25), 4002},
		{candidate("eth2", "10.1.0.10/16", 25), 0}, // where it cannot listen
	}}
	set, bound := &settings{}, &settings{bind: "10.0.0.0/8"}
	var want []contact.Target
	for _, s := range []string{"10.1.0.9:4002", "192.168.5.9:4001", "10.8.0.9:4000"} {
		want = append(want, target{set: set, to: s})
	}
	if got := set.targets(peer, own); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for i, from := range []string{"10.1.0.7", "192.168.5.7", "192.168.5.7"} {
		want[i] = target{set: bound, to: want[i].String(), from: netip.MustParseAddr(from)}
	}
	if got := bound.targets(peer, own); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	linkLocal := func(text string) netif.Candidate { return netif.Candidate{Addr: netip.MustParseAddr(text), Bits: 64} }
	peer = endpoint{Addresses: []address{{linkLocal("fe80::9%eth0"), 4000}}}
	want = []contact.Target{target{set: set, to: "[fe80::9%eno1]:4000"}} // the zone is of this host
	if got := set.targets(peer, []netif.Candidate{linkLocal("fe80::7%eno1")}); !slices.Equal(got, want) {
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

// Where all ports of this host are in use, waiting for a peer is of no use, and the limit is named.
func TestLacksPort(t *testing.T) {
	bound := target{to: "10.0.0.2:1", from: netip.MustParseAddr("10.0.0.1")}
	for _, c := range []struct {
		at   target
		err  error
		want bool
	}{
		{target{to: "10.0.0.2:1"}, fmt.Errorf("connect: %w", unix.EADDRNOTAVAIL), true},
		{target{to: "10.0.0.2:1"}, unix.ETIMEDOUT, false},
		{bound, fmt.Errorf("bind: %w", unix.EADDRINUSE), true},
		{bound, unix.EADDRNOTAVAIL, false}, // the address is gone
		{target{to: "vsock:1:2", vsock: vsockAddr{1, 2}}, unix.EADDRNOTAVAIL, false},
	} {
		if got := c.at.lacksPort(c.err); got != c.want {
			t.Errorf("%+v: %v: %v", c.at, c.err, got)
		}
	}
}

// Where ranks take turns on the cores for seconds, they have as much longer to connect.
func TestDeadlinesOfManyRanks(t *testing.T) {
	for _, c := range []struct{ ranks, cores, want int }{{2, 2, 1}, {32, 2, 1}, {64, 2, 2}, {128, 2, 4}, {1024, 64, 1}} {
		if got := contact.Crowd(c.ranks, c.cores); got != time.Duration(c.want) {
			t.Errorf("%d ranks on %d cores: %d times as long, want %d", c.ranks, c.cores, got, c.want)
		}
	}
	many := 64 * runtime.NumCPU()
	set, err := parse(options(t), seat{&room{size: many}, 0})
	if err != nil || set.deadline != 4*contact.OpenDeadline || set.hello != 4*contact.HelloDeadline {
		t.Errorf("%d ranks have %v and %v, %v", many, set.deadline, set.hello, err)
	}
}
