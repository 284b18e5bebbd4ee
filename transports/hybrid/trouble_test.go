package hybrid

import (
	"testing"

	"gobench/device/devicetest"
	"gobench/internal/lab"
)

// TestTroubledNetworks runs rules between two hosts whose network is slow, loses packets, is down
// for moments, has long or short packets, or has IPv6 only, over tcp and over smem+tcp. Data are
// right on all of them, and a dead rank is noticed in time. Delay, jitter and reordering need
// netem, which kernels of virtual machines lack: scripts/verbs.sh has them.
func TestTroubledNetworks(t *testing.T) {
	hosts := lab.Hosts(t, 2)
	at := elsewhere(t, hosts)
	moving := []string{"order of many senders", "every size", "close delivers"}
	dying := append(moving[:len(moving):len(moving)], "death of a sender", "death in large transfers")
	for _, c := range []struct {
		name  string
		begin func(t *testing.T)
		rules []string
		set   map[string]string
	}{
		{"1 Gbit/s", func(*testing.T) { hosts[1].Slow("1gbit") }, dying, nil},
		{"1 % loss", func(t *testing.T) { hosts[1].Loss(t, 0.01) }, moving, nil},
		{"a cable that flaps", func(t *testing.T) { hosts[1].Flap(t) }, moving, nil},
		{"MTU 1400", func(*testing.T) { mtu(hosts, 1400) }, dying, nil},
		{"MTU 9000", func(*testing.T) { mtu(hosts, 9000) }, dying, nil},
		{"IPv6", func(*testing.T) { sixOnly(hosts) }, dying, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer func() { hosts[0].Mend(); hosts[1].Mend() }()
			c.begin(t)
			devicetest.Run(t, devicetest.Subject{Driver: overTCP, Ranks: devicetest.Processes, Hosts: halves, Only: c.rules, Options: c.set,
				Largest: true, MaxRanks: 4, Elsewhere: at})
		})
	}
}

func mtu(hosts []*lab.Host, bytes int) {
	for _, h := range hosts {
		h.MTU(bytes)
	}
}

// sixOnly takes the IPv4 addresses away.
func sixOnly(hosts []*lab.Host) {
	for _, h := range hosts {
		h.Run("ip", "-4", "addr", "flush", "dev", "eth0")
		h.Run("ip", "-6", "addr", "add", "fd00:77::"+h.Name[1:]+"/64", "dev", "eth0", "nodad")
	}
}
