package tcp

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"gobench/device"
)

// listenAddresses returns the addresses of this host to listen on and to send to the other ranks, best
// first. local reports whether all ranks are on this host.
func listenAddresses(bind, family string, local bool) ([]netip.Addr, error) {
	switch {
	case bind != "":
		if a, err := netip.ParseAddr(bind); err == nil {
			if !fits(a, family) {
				return nil, &device.ValueError{Option: "bind", Value: bind, Want: "an address of IP version " + family}
			}
			return []netip.Addr{a.Unmap()}, nil
		}
		return ofInterface(bind, family)
	case local:
		return loopback(family), nil
	}
	return ofHost(family)
}

func fits(a netip.Addr, family string) bool {
	is4 := a.Is4() || a.Is4In6()
	return family == "auto" || is4 == (family == "4")
}

func loopback(family string) []netip.Addr {
	four, six := netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()
	switch family {
	case "4":
		return []netip.Addr{four}
	case "6":
		return []netip.Addr{six}
	}
	return []netip.Addr{four, six}
}

func ofInterface(name, family string) ([]netip.Addr, error) {
	all, err := net.Interfaces()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, i := range all {
		if i.Name == name {
			list, err := addressesOf(i, family)
			if err == nil && len(list) == 0 {
				err = fmt.Errorf("option bind is %q, but that interface has no address of family %s", name, family)
			}
			return list, err
		}
		names = append(names, i.Name)
	}
	return nil, &device.ValueError{Option: "bind", Value: name,
		Want: "an IP address of this host or one of the interfaces " + strings.Join(names, ", ")}
}

func ofHost(family string) ([]netip.Addr, error) {
	all, err := net.Interfaces()
	if err != nil {
		return nil, err
	}
	var list []netip.Addr
	for _, i := range all {
		if i.Flags&net.FlagUp == 0 || i.Flags&net.FlagLoopback != 0 {
			continue
		}
		more, err := addressesOf(i, family)
		if err != nil {
			return nil, err
		}
		for _, a := range more {
			if !a.IsLinkLocalUnicast() { // needs a zone, which differs from host to host
				list = append(list, a)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b netip.Addr) int { return a.BitLen() - b.BitLen() })
	if len(list) == 0 {
		return nil, fmt.Errorf("no network interface of this host is up with an address of family %s that other hosts can reach", family)
	}
	return list, nil
}

// addressesOf lists an interface's addresses, version 4 first.
func addressesOf(i net.Interface, family string) ([]netip.Addr, error) {
	nets, err := i.Addrs()
	if err != nil {
		return nil, err
	}
	var list []netip.Addr
	for _, n := range nets {
		p, err := netip.ParsePrefix(n.String())
		if err != nil || !fits(p.Addr(), family) {
			continue
		}
		a := p.Addr().Unmap()
		if a.Is6() && a.IsLinkLocalUnicast() {
			a = a.WithZone(i.Name)
		}
		list = append(list, a)
	}
	slices.SortStableFunc(list, func(a, b netip.Addr) int { return a.BitLen() - b.BitLen() })
	return list, nil
}
