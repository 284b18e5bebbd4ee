// Package netif lists the network interfaces of this host and selects those by which a transport
// reaches its peers. It asks the kernel by netlink and ethtool and not by /sys, which may show the
// interfaces of another network namespace.
package netif

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// An Interface holds the properties of a network interface by which one of several is chosen.
type Interface struct {
	Name     string
	Up       bool
	Loopback bool
	Kind     string         // as the kernel names virtual ones: "veth", "bridge", "vlan"; "" = hardware
	Master   string         // the bridge or bond that it is a port of, "" = none
	MTU      int            // bytes
	Speed    int64          // bit/s, 0 = not known
	Prefixes []netip.Prefix // addresses with the length of their subnet's prefix
	// Internal reports that the interface joins guests or containers of this host only: it is a
	// bridge without a port that leads out of the host, or a port of one.
	Internal bool
}

// List returns the interfaces of this network namespace in the order of the kernel.
func List() ([]Interface, error) {
	links, err := readLinks()
	if err != nil {
		return nil, fmt.Errorf("listing the network interfaces: %w", err)
	}
	all, err := net.Interfaces()
	if err != nil {
		return nil, err
	}
	var list []Interface
	for _, i := range all {
		link := links[i.Index]
		one := Interface{
			Name: i.Name, Up: i.Flags&net.FlagUp != 0, Loopback: i.Flags&net.FlagLoopback != 0,
			Kind: link.kind, Master: links[link.master].name, MTU: i.MTU,
		}
		if !one.Loopback {
			one.Speed = Speed(i.Name)
		}
		addresses, err := i.Addrs()
		if err != nil {
			return nil, err
		}
		for _, a := range addresses {
			if p, err := netip.ParsePrefix(a.String()); err == nil {
				bits := p.Bits()
				if p.Addr().Is4In6() {
					bits -= 96
				}
				one.Prefixes = append(one.Prefixes, netip.PrefixFrom(p.Addr().Unmap(), bits))
			}
		}
		list = append(list, one)
	}
	markInternal(list)
	return list, nil
}

// guests lists the kinds of bridge ports that lead to containers and virtual machines.
var guests = []string{"veth", "tun", "tap", "macvtap", "dummy", "vnet"}

// markInternal finds bridges none of whose ports leads out of the host, and their ports. A bridge
// that has the addresses of the host's network card, as on hosts of virtual machines, is not one.
func markInternal(list []Interface) {
	outer := map[string]bool{} // bridges with a port that leads out
	for _, i := range list {
		if i.Master != "" && !slices.Contains(guests, i.Kind) {
			outer[i.Master] = true
		}
	}
	bridges := map[string]bool{}
	for k := range list {
		if list[k].Kind == "bridge" {
			bridges[list[k].Name] = true
			list[k].Internal = !outer[list[k].Name]
		}
	}
	for k := range list {
		list[k].Internal = list[k].Internal || bridges[list[k].Master]
	}
}

// link holds facts of an interface that package net does not provide.
type link struct {
	name   string
	kind   string
	master int // index, 0 = none
}

// Attributes of RTM_NEWLINK that package syscall lacks (linux/if_link.h).
const (
	iflaMaster   = 10
	iflaLinkInfo = 18
	iflaInfoKind = 1
)

// readLinks returns the interfaces by index.
func readLinks() (map[int]link, error) {
	raw, err := syscall.NetlinkRIB(syscall.RTM_GETLINK, syscall.AF_UNSPEC)
	if err != nil {
		return nil, err
	}
	messages, err := syscall.ParseNetlinkMessage(raw)
	if err != nil {
		return nil, err
	}
	links := map[int]link{}
	for _, m := range messages {
		if m.Header.Type != syscall.RTM_NEWLINK || len(m.Data) < syscall.SizeofIfInfomsg {
			continue
		}
		attributes, err := syscall.ParseNetlinkRouteAttr(&m)
		if err != nil {
			return nil, err
		}
		var l link
		for _, a := range attributes {
			switch a.Attr.Type &^ 0xc000 { // flags: nested, byte order
			case syscall.IFLA_IFNAME:
				l.name = cString(a.Value)
			case iflaMaster:
				if len(a.Value) >= 4 {
					l.master = int(binary.NativeEndian.Uint32(a.Value))
				}
			case iflaLinkInfo:
				l.kind = cString(attribute(a.Value, iflaInfoKind))
			}
		}
		links[int(binary.NativeEndian.Uint32(m.Data[4:]))] = l
	}
	return links, nil
}

// attribute returns the value of a nested attribute, nil if it is not there.
func attribute(b []byte, kind uint16) []byte {
	for len(b) >= 4 {
		length, is := int(binary.NativeEndian.Uint16(b)), binary.NativeEndian.Uint16(b[2:])
		if length < 4 || length > len(b) {
			return nil
		}
		if is&^0xc000 == kind {
			return b[4:length]
		}
		b = b[min((length+3)&^3, len(b)):]
	}
	return nil
}

// cString returns the text before the first zero byte.
func cString(b []byte) string {
	text, _, _ := strings.Cut(string(b), "\x00")
	return text
}

// Sockaddr converts an address for package unix, which needs the number of the interface that is
// the zone of a link-local address. Without such an interface the kernel refuses the address.
func Sockaddr(a netip.AddrPort) unix.Sockaddr {
	if a.Addr().Is4() {
		return &unix.SockaddrInet4{Port: int(a.Port()), Addr: a.Addr().As4()}
	}
	s := &unix.SockaddrInet6{Port: int(a.Port()), Addr: a.Addr().As16()}
	if zone := a.Addr().Zone(); zone != "" {
		if i, err := net.InterfaceByName(zone); err == nil {
			s.ZoneId = uint32(i.Index)
		}
	}
	return s
}

// Reach returns an address of a peer for use on this host, from an address of this host: the zone
// of a link-local address names an interface of the peer's host, and is replaced by that of from.
func Reach(to netip.AddrPort, from netip.Addr) netip.AddrPort {
	return netip.AddrPortFrom(to.Addr().WithZone(from.Zone()), to.Port())
}
