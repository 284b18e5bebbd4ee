package verbs

import (
	"fmt"
	"strings"

	"gobench/device"
)

// railAddress is the address of a rail: a device, a port and a GID.
type railAddress struct {
	device string
	iwarp  bool
	port   hcaPort
	gid    gid
	global bool // addressed by GID: on Ethernet always
}

// chooseAddresses picks the devices, ports and GIDs of one rank.
func chooseAddresses(list []hca, s settings, rank int) ([]railAddress, error) {
	names := s.devices
	if len(names) == 0 {
		name, err := firstActive(list, s)
		if err != nil {
			return nil, err
		}
		names = []string{name}
	}
	if s.spread {
		names = names[rank%len(names):][:1]
	}
	var railAddresses []railAddress
	for _, name := range names {
		p, err := chooseAddress(list, name, s)
		if err != nil {
			return nil, err
		}
		railAddresses = append(railAddresses, p)
	}
	return railAddresses, nil
}

// firstActive returns the first device with a port that can be used. RoCE and InfiniBand come
// before iWARP.
func firstActive(list []hca, s settings) (string, error) {
	for _, iwarp := range []bool{false, true} {
		for _, h := range list {
			if h.iwarp != iwarp || h.foreign {
				continue
			}
			for _, p := range h.ports {
				if p.active && (s.port == 0 || s.port == p.number) {
					return h.name, nil
				}
			}
		}
	}
	reason := noDevice(list)
	if reason == "" {
		reason = fmt.Sprintf("no device that has RC queue pairs has an active port %d", s.port)
	}
	return "", unavailable(reason, "bring the link up, or name a device and port by options")
}

func chooseAddress(list []hca, name string, s settings) (railAddress, error) {
	var known []string
	for _, h := range list {
		known = append(known, h.name)
		if h.name != name {
			continue
		}
		if h.foreign {
			return railAddress{}, unavailable(name+" has no RC queue pairs", "name another device")
		}
		for _, p := range h.ports {
			if s.port == p.number || s.port == 0 && p.active {
				if !p.active {
					return railAddress{}, unavailable(fmt.Sprintf("port %d of %s is not active (%s)", p.number, name, p.state), "bring the link up")
				}
				at := railAddress{device: name, iwarp: h.iwarp, port: p}
				var err error
				if !h.iwarp {
					at.gid, err = chooseGID(name, p, s)
				}
				at.global = p.ethernet || s.gid >= 0
				return at, err
			}
		}
		if s.port == 0 {
			return railAddress{}, unavailable("no port of "+name+" is active", "bring the link up")
		}
		return railAddress{}, &device.ValueError{Option: "port", Value: fmt.Sprint(s.port), Want: fmt.Sprintf("a port of %s: 1 to %d", name, len(h.ports))}
	}
	return railAddress{}, &device.UnknownError{What: "RDMA device", Name: name, Known: known, List: "available"}
}

// chooseGID returns the entry that option gid selects. By default, on Ethernet, it returns a RoCE
// v2 entry that option bind admits: one with an IPv4 address, else with a routable IPv6 address,
// else with a link-local one; RoCE v1 does not cross routers and must be selected. On InfiniBand
// the default is entry 0.
func chooseGID(name string, p hcaPort, s settings) (gid, error) {
	best, rank := gid{}, 0
	// With RDMA CM option bind selects the address to listen at, which implies the GID.
	selected := p.ethernet && s.exchange != "rdmacm" && !s.lazy
	for _, g := range p.gids() {
		if g.index == s.gid {
			return g, nil
		}
		ip, r := g.ip(), 0
		switch {
		case !p.ethernet:
			if g.index == 0 {
				r = 1
			}
		case g.kind != "RoCE v2" || g.index > maxGID:
		case ip.Is4():
			r = 3
		case ip.IsLinkLocalUnicast():
			r = 1
		default:
			r = 2
		}
		if p.ethernet && (s.family == "4" && !ip.Is4() || s.family == "6" && ip.Is4()) {
			r = 0
		}
		if selected && !s.bind.Takes(g.netif, ip) {
			r = 0
		}
		if r > rank {
			best, rank = g, r
		}
	}
	if s.gid < 0 && rank > 0 {
		return best, nil
	}
	reason := fmt.Sprintf("port %d of %s has no RoCE v2 GID that fits", p.number, name)
	if s.gid >= 0 {
		reason = fmt.Sprintf("port %d of %s has no GID %d", p.number, name, s.gid)
	}
	return gid{}, unavailable(reason+"; its GIDs are "+listGIDs(p), "choose one by option gid or bind, or give the network interface an address")
}

func listGIDs(p hcaPort) string {
	var list []string
	for _, g := range p.gids() {
		list = append(list, g.String())
	}
	if list == nil {
		return "none"
	}
	return strings.Join(list, ", ")
}
