package netif

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"gobench/internal/remedy"
)

// A Selection names interfaces in a form that is valid on several hosts: a list, separated by
// commas, of
//
//	10.1.0.0/16   a subnet
//	10.1.0.7      an address
//	eth           names that begin with eth
//	=eth0         one name; so are all names that follow it
//
// and a list that begins with ^ leaves out what it names. Prefixes, = and ^ mean what they mean in
// NCCL_SOCKET_IFNAME, subnets those of Open MPI's btl_tcp_if_include. The empty Selection leaves
// the choice to Candidates.
type Selection struct {
	text    string
	exclude bool
	parts   []part
}

type part struct {
	prefix netip.Prefix // of a subnet or an address
	name   string
	exact  bool
}

// ParseSelection reads a Selection.
func ParseSelection(text string) (Selection, error) {
	s := Selection{text: text}
	if text == "" {
		return s, nil
	}
	list, excluded := strings.CutPrefix(text, "^")
	s.exclude = excluded
	exact := false
	for word := range strings.SplitSeq(list, ",") {
		word = strings.TrimSpace(word)
		name, whole := strings.CutPrefix(word, "=")
		exact = exact || whole
		p := part{name: name, exact: exact}
		if a, err := netip.ParseAddr(word); err == nil {
			a = a.Unmap()
			p = part{prefix: netip.PrefixFrom(a.WithZone(""), a.BitLen())}
		} else if prefix, err := netip.ParsePrefix(word); err == nil {
			p = part{prefix: prefix.Masked()}
		} else if name == "" || strings.ContainsAny(name, "/^= ") {
			return s, fmt.Errorf("%q is neither a subnet such as 10.1.0.0/16, nor an address, nor the beginning of an interface's name", word)
		}
		s.parts = append(s.parts, p)
	}
	return s, nil
}

// String returns the text that was parsed.
func (s Selection) String() string { return s.text }

// address returns the only address that the selection names.
func (s Selection) address() (netip.Addr, bool) {
	if len(s.parts) != 1 || s.exclude || !s.parts[0].prefix.IsSingleIP() {
		return netip.Addr{}, false
	}
	return s.parts[0].prefix.Addr(), true
}

// names reports whether a part of the selection names an address of an interface.
func (s Selection) names(i *Interface, a netip.Addr) bool {
	return slices.ContainsFunc(s.parts, func(p part) bool {
		switch {
		case p.prefix.IsValid():
			return p.prefix.Contains(a.WithZone(""))
		case p.exact:
			return i.Name == p.name
		}
		return strings.HasPrefix(i.Name, p.name)
	})
}

// Takes reports whether the selection admits an address of the interface of this name. The empty
// selection admits all.
func (s Selection) Takes(name string, a netip.Addr) bool {
	return s.parts == nil || s.names(&Interface{Name: name}, a) != s.exclude
}

// A SelectionError reports a selection that fits no address of this host.
type SelectionError struct {
	Selection Selection
	Want      string
}

func (e *SelectionError) Error() string {
	return fmt.Sprintf("interfaces %q: want %s", e.Selection, e.Want)
}

// A Candidate is an address by which this host may be reached.
type Candidate struct {
	Interface string
	Addr      netip.Addr // a link-local address of IPv6 has a zone
	Bits      int        // length of the prefix of its subnet
	Speed     int64      // bit/s, 0 = not known
}

// candidate returns an address of the interface.
func (i *Interface) candidate(p netip.Prefix) Candidate {
	c := Candidate{i.Name, p.Addr(), p.Bits(), i.Speed}
	if c.Addr.Is6() && c.Addr.IsLinkLocalUnicast() {
		c.Addr = c.Addr.WithZone(i.Name)
	}
	return c
}

// subnet returns the subnet of the address.
func (c Candidate) subnet() netip.Prefix { return netip.PrefixFrom(c.Addr.WithZone(""), c.Bits) }

// near reports whether two addresses are in the subnets of each other.
func (c Candidate) near(o Candidate) bool {
	return c.subnet().Contains(o.Addr.WithZone("")) && o.subnet().Contains(c.Addr.WithZone(""))
}

// Candidates returns the addresses of the selected interfaces, and why others were left out, one
// sentence. Addresses have the IP version of family: "4", "6", or "auto" for both. Without
// a selection they belong to all interfaces that are up, except loopback and, where others
// exist, interfaces that join guests of this host only. Faster interfaces come first, version 4
// before 6. A selection that fits none is a *SelectionError.
func Candidates(all []Interface, s Selection, family string) (list []Candidate, left string, err error) {
	if a, ok := s.address(); ok {
		if !fits(a, family) {
			return nil, "", &SelectionError{s, "an address of IP version " + family}
		}
		c := Candidate{Addr: a, Bits: a.BitLen()} // an address that this host lacks fails when a socket listens on it
		for k := range all {
			for _, p := range all[k].Prefixes {
				if p.Addr() == a {
					c = all[k].candidate(p)
				}
			}
		}
		return []Candidate{c}, "", nil
	}
	var internal, linkLocal []Candidate
	var names []string
	for k := range all {
		i := &all[k]
		names = append(names, i.Name)
		for _, p := range i.Prefixes {
			a := p.Addr()
			asked := !s.exclude && s.names(i, a)
			switch {
			case !fits(a, family) || !i.Up && !asked:
				continue
			case s.parts != nil && s.names(i, a) == s.exclude:
				continue
			case !asked && i.Loopback:
				continue
			}
			c := i.candidate(p)
			switch {
			case c.Addr.Zone() != "":
				linkLocal = append(linkLocal, c)
			case i.Internal && !asked:
				internal = append(internal, c)
			default:
				list = append(list, c)
			}
		}
	}
	if list == nil && s.parts != nil && !s.exclude {
		list = linkLocal
	}
	if list == nil {
		list, internal = internal, nil
	}
	switch {
	case list != nil:
	case s.parts != nil && !s.exclude && slices.ContainsFunc(all, func(i Interface) bool { return s.names(&i, netip.Addr{}) }):
		return nil, "", &SelectionError{s, "an interface that has an address of family " + family}
	case s.parts != nil:
		return nil, "", &SelectionError{s, "a subnet, an address or the beginning of the name of one of the interfaces " + strings.Join(names, ", ")}
	case linkLocal != nil:
		c := linkLocal[0]
		return nil, "", remedy.Errorf("no network interface of this host is up with an address that other hosts can reach without knowing the link: %s has %v only; if all hosts are on that link, choose it with %v (transport tcp)", c.Interface, c.Addr.WithZone(""), remedy.Transport("bind", c.Interface))
	default:
		return nil, "", fmt.Errorf("no network interface of this host is up with an address of family %s that other hosts can reach", family)
	}
	slices.SortStableFunc(list, func(a, b Candidate) int {
		return cmp.Or(a.Addr.BitLen()-b.Addr.BitLen(), cmp.Compare(b.Speed, a.Speed))
	})
	return list, leftOut(internal), nil
}

// Own returns the Candidates of this host.
func Own(s Selection, family string) (list []Candidate, left string, err error) {
	all, err := List()
	if err != nil {
		return nil, "", err
	}
	return Candidates(all, s, family)
}

// Turn moves the addresses of one of the fastest interfaces to the front of a list of candidates,
// in turn of these by number. Peers of which no candidate is nearer then take that interface.
func Turn(list []Candidate, number int) []Candidate {
	var fastest int64
	for _, c := range list {
		fastest = max(fastest, c.Speed)
	}
	var names []string
	for _, c := range list {
		if c.Speed == fastest && !slices.Contains(names, c.Interface) {
			names = append(names, c.Interface)
		}
	}
	if names == nil {
		return list
	}
	first := names[number%len(names)]
	other := func(c Candidate) bool { return c.Interface != first }
	front := slices.DeleteFunc(slices.Clone(list), other)
	return append(front, slices.DeleteFunc(slices.Clone(list), func(c Candidate) bool { return !other(c) })...)
}

func leftOut(internal []Candidate) string {
	var names []string
	for _, c := range internal {
		if !slices.Contains(names, c.Interface) {
			names = append(names, c.Interface)
		}
	}
	if names == nil {
		return ""
	}
	return strings.Join(names, ", ") + " left out, for guests of this host only"
}

// fits reports whether an address is of a family of Candidates.
func fits(a netip.Addr, family string) bool {
	return family == "auto" || a.Unmap().Is4() == (family == "4")
}

// Order sorts the candidates of a peer, the likeliest route first: in a subnet of this host, then
// on the faster interfaces, then in the order of the peer. A candidate that is an address of this
// host itself comes last: every host with containers has the same ones, and they lead to the peer
// only if it is on this host. Own holds the candidates of this host.
func Order(peer, own []Candidate) []Candidate {
	sorted := slices.Clone(peer)
	slices.SortStableFunc(sorted, func(a, b Candidate) int {
		x, y := relate(a, own), relate(b, own)
		return cmp.Or(cmp.Compare(x.distance, y.distance), cmp.Compare(y.speed, x.speed))
	})
	return sorted
}

// relation classifies an address of a peer relative to this host.
type relation struct {
	distance int   // of sameSubnet and so on
	speed    int64 // of the slower end, bit/s; 0 = not known
	via      Candidate
}

// From returns the own candidate from which a peer's is reached: the fastest in its subnet, or
// else the first of its IP version. It returns false if there is none.
func From(own []Candidate, to Candidate) (Candidate, bool) {
	if r := relate(to, own); r.distance != elsewhere {
		return r.via, true
	}
	for _, o := range own {
		if o.Addr.Is4() == to.Addr.Is4() {
			return o, true
		}
	}
	return Candidate{}, false
}

const (
	sameSubnet = iota
	elsewhere
	ownAddress
)

func relate(c Candidate, own []Candidate) relation {
	r := relation{distance: elsewhere, speed: c.Speed}
	for _, o := range own {
		switch {
		case o.Addr == c.Addr:
			return relation{ownAddress, c.Speed, o}
		case o.near(c) && (r.distance != sameSubnet || o.Speed > r.via.Speed):
			r = relation{sameSubnet, slower(o.Speed, c.Speed), o}
		}
	}
	return r
}

// slower returns the lower of two rates, of which 0 is not known.
func slower(a, b int64) int64 {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// Reason describes why two ends were chosen: "same subnet, 10 Gbit/s".
func Reason(from, to Candidate) string {
	r := relate(to, []Candidate{from})
	var parts []string
	switch {
	case r.distance == sameSubnet:
		parts = append(parts, "same subnet")
	case r.distance == elsewhere:
		parts = append(parts, "routed")
	}
	if rate := slower(from.Speed, to.Speed); rate > 0 {
		parts = append(parts, fmt.Sprintf("%g Gbit/s", float64(rate)/1e9))
	}
	return strings.Join(parts, ", ")
}
