package tcp

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/device/contact"
	"gobench/internal/netif"
)

// An address is one by which other ranks may reach a rank.
type address struct {
	netif.Candidate
	Port uint16 // on which the rank listens there, 0 = not
}

func (a address) String() string { return netip.AddrPortFrom(a.Addr, a.Port).String() }

// ownAddresses returns the addresses of this host to use and to send to the other ranks, best
// first, and what was left out. local reports whether all ranks are on this host.
func ownAddresses(bind, family string, local bool) (list []netif.Candidate, left string, err error) {
	if bind == "" && local {
		return loopback(family), "", nil
	}
	s, err := netif.ParseSelection(bind)
	if err != nil {
		return nil, "", fmt.Errorf("option bind: %w", err)
	}
	list, left, err = netif.Own(s, family)
	if wrong, ok := errors.AsType[*netif.SelectionError](err); ok {
		err = &device.ValueError{Option: "bind", Value: bind, Want: wrong.Want}
	}
	return list, left, err
}

func loopback(family string) []netif.Candidate {
	four := netif.Candidate{Addr: netip.AddrFrom4([4]byte{127, 0, 0, 1}), Bits: 8}
	six := netif.Candidate{Addr: netip.IPv6Loopback(), Bits: 128}
	switch family {
	case "4":
		return []netif.Candidate{four}
	case "6":
		return []netif.Candidate{six}
	}
	return []netif.Candidate{four, six}
}

// targets returns the addresses at which a peer listens in the order in which they are tried.
// Option bind, if it is set, decides about this end too.
func (s *settings) targets(peer endpoint, own []netif.Candidate) []contact.Target {
	if peer.Vsock != (vsockAddr{}) {
		return []contact.Target{target{set: s, to: peer.Vsock.String(), vsock: peer.Vsock}}
	}
	var list []contact.Target
	for _, a := range peer.order(own) {
		if a.Port == 0 {
			continue
		}
		from, ok := netif.From(own, a.Candidate)
		t := target{set: s, to: netif.Reach(netip.AddrPortFrom(a.Addr, a.Port), from.Addr).String()}
		if ok && s.bind != "" {
			t.from = from.Addr
		}
		list = append(list, t)
	}
	return list
}

// order returns the addresses of an endpoint as a host with the given ones tries them.
func (e *endpoint) order(from []netif.Candidate) []address {
	var candidates []netif.Candidate
	for _, a := range e.Addresses {
		candidates = append(candidates, a.Candidate)
	}
	var list []address
	for _, c := range netif.Order(candidates, from) {
		list = append(list, e.Addresses[slices.Index(candidates, c)])
	}
	return list
}

// at returns the candidate with an address, which is not among them if it was translated on the
// way.
func (e *endpoint) at(a netip.Addr) netif.Candidate {
	for _, c := range e.Addresses {
		if c.Addr.WithZone("") == a.WithZone("") {
			return c.Candidate
		}
	}
	return netif.Candidate{Addr: a}
}

// route describes the interfaces between this rank and those of other hosts, and why they were
// chosen: "eth0 (10.1.0.1) to enp1s0 (10.1.0.2) of rank 1: same subnet, 10 Gbit/s". It is empty if
// all ranks are on this host.
func (m *mesh) route(me int, all *endpoints, left, bind string) string {
	type path struct{ from, to, why string }
	var paths []path
	ranks := map[path][]string{}
	first := map[path]netip.Addr{}
	for rank, list := range m.conns {
		if list == nil {
			continue
		}
		here, there := addrOf(list[0].LocalAddr()), addrOf(list[0].RemoteAddr())
		if here == there || here.IsLoopback() {
			continue
		}
		other, _ := all.of(rank)
		from, to := all.mine.at(here), other.at(there)
		w := path{named(from), to.Interface, netif.Reason(from, to)}
		if ranks[w] == nil {
			paths = append(paths, w)
			first[w] = there
		}
		ranks[w] = append(ranks[w], fmt.Sprint(rank))
	}
	var parts []string
	for _, w := range paths {
		to := w.to
		if len(ranks[w]) == 1 {
			to = named(netif.Candidate{Interface: w.to, Addr: first[w]})
		}
		parts = append(parts, fmt.Sprintf("%s to %s of %s: %s", w.from, to, someRanks(ranks[w]), w.why))
	}
	if parts == nil {
		return ""
	}
	if bind != "" {
		parts = append(parts, "bind "+bind)
	}
	if left != "" {
		parts = append(parts, left)
	}
	return strings.Join(parts, "; ")
}

func named(c netif.Candidate) string {
	if c.Interface == "" {
		return c.Addr.String()
	}
	return fmt.Sprintf("%s (%s)", c.Interface, c.Addr.WithZone(""))
}

// someRanks formats at most eight ranks.
func someRanks(list []string) string {
	const limit = 8
	switch n := len(list); {
	case n == 1:
		return "rank " + list[0]
	case n > limit:
		return fmt.Sprintf("ranks %s and %d more", strings.Join(list[:limit], ","), n-limit)
	}
	return "ranks " + strings.Join(list, ",")
}

// mtu returns the most bytes of a packet on the way to a peer on another host, as the kernel knows
// them, 0 if it does not, or if there is none.
func (m *mesh) mtu() int {
	for _, list := range m.conns {
		if list == nil {
			continue
		}
		here, there := addrOf(list[0].LocalAddr()), addrOf(list[0].RemoteAddr())
		if here == there || here.IsLoopback() {
			continue
		}
		n := 0
		if raw, err := list[0].SyscallConn(); err == nil {
			raw.Control(func(fd uintptr) {
				level, option := unix.IPPROTO_IP, unix.IP_MTU
				if there.Is6() {
					level, option = unix.IPPROTO_IPV6, unix.IPV6_MTU
				}
				n, _ = unix.GetsockoptInt(int(fd), level, option)
			})
		}
		if n > 0 {
			return n
		}
	}
	return 0
}

func addrOf(a net.Addr) netip.Addr {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	return tcp.AddrPort().Addr().Unmap()
}
