package netif

import (
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// prefixes parses addresses with their subnets.
func prefixes(list ...string) (all []netip.Prefix) {
	for _, s := range list {
		all = append(all, netip.MustParsePrefix(s))
	}
	return all
}

const gbit = int64(1e9)

// server is a host with containers, a management network and two fast ones.
func server(last string) []Interface {
	list := []Interface{
		{Name: "lo", Up: true, Loopback: true, Prefixes: prefixes("127.0.0.1/8", "::1/128")},
		{Name: "eno1", Up: true, Speed: gbit, Prefixes: prefixes("192.168.5."+last+"/24", "fe80::"+last+"/64")},
		{Name: "ens2f0", Up: true, Speed: 100 * gbit, Prefixes: prefixes("10.1.0."+last+"/16", "fd00::"+last+"/64")},
		{Name: "ens2f1", Up: true, Speed: 25 * gbit, Prefixes: prefixes("10.2.0." + last + "/16")},
		{Name: "ens9", Speed: 100 * gbit, Prefixes: prefixes("10.9.0." + last + "/16")},
		{Name: "docker0", Up: true, Kind: "bridge", Prefixes: prefixes("172.17.0.1/16")},
		{Name: "veth12ab", Up: true, Kind: "veth", Master: "docker0", Speed: 10 * gbit, Prefixes: prefixes("169.254.7.7/16")},
		{Name: "virbr0", Up: true, Kind: "bridge", Prefixes: prefixes("192.168.122.1/24")},
	}
	markInternal(list)
	return list
}

func addresses(list []Candidate) string {
	var words []string
	for _, c := range list {
		words = append(words, c.Addr.String())
	}
	return strings.Join(words, " ")
}

func TestCandidates(t *testing.T) {
	for _, c := range []struct{ bind, family, want string }{
		{"", "4", "10.1.0.7 10.2.0.7 192.168.5.7"},
		{"", "auto", "10.1.0.7 10.2.0.7 192.168.5.7 fd00::7"},
		{"", "6", "fd00::7"},
		{"10.2.0.0/16", "auto", "10.2.0.7"},
		{"10.2.99.99/16", "auto", "10.2.0.7"},
		{"10.2.0.0/16,192.168.0.0/16", "auto", "10.2.0.7 192.168.5.7 192.168.122.1"},
		{"ens", "4", "10.1.0.7 10.9.0.7 10.2.0.7"},
		{"=ens2f1,eno1", "4", "10.2.0.7 192.168.5.7"},
		{"=ens2f1,eno", "4", "10.2.0.7"},
		{"eno1", "6", "fe80::7%eno1"},
		{"fe80::7", "auto", "fe80::7%eno1"},
		{"docker", "auto", "172.17.0.1"},
		{"lo", "4", "127.0.0.1"},
		{"^ens2f0", "4", "10.2.0.7 192.168.5.7"},
		{"^docker0,virbr,=ens2f1", "4", "10.1.0.7 192.168.5.7"},
		{"^10.0.0.0/8", "4", "192.168.5.7"},
		{"^e", "4", "172.17.0.1 192.168.122.1 169.254.7.7"},
		{"10.2.0.7", "auto", "10.2.0.7"},
		{"192.0.2.1", "auto", "192.0.2.1"}, // listening there fails with its own sentence
	} {
		s, err := ParseSelection(c.bind)
		if err != nil {
			t.Errorf("%q: %v", c.bind, err)
			continue
		}
		list, _, err := Candidates(server("7"), s, c.family)
		got := strings.Fields(addresses(list))
		want := strings.Fields(c.want)
		if c.bind == "^e" {
			slices.Sort(got)
			slices.Sort(want)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("bind %q, family %s: %v (%v), want %v", c.bind, c.family, got, err, want)
		}
	}
}

func TestCandidatesErrors(t *testing.T) {
	for _, c := range []struct{ bind, family, want string }{
		{"nosuch", "auto", "eno1"},
		{"docker0", "6", "has an address of family 6"},
		{"10.1.0.7", "6", "IP version 6"},
		{"^e,docker,virbr,veth,lo", "auto", "interfaces"},
		{"10.3.0.0/16", "auto", "interfaces"},
	} {
		s, err := ParseSelection(c.bind)
		if err != nil {
			t.Fatal(err)
		}
		if list, _, err := Candidates(server("7"), s, c.family); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("bind %q, family %s: %v, %v", c.bind, c.family, list, err)
		}
	}
	for _, bind := range []string{",", "^", "eth0,", "10.1.0.0/40", "a/b", "=", "a^b"} {
		if s, err := ParseSelection(bind); err == nil {
			t.Errorf("%q is read as %+v", bind, s)
		}
	}
}

// A host that has addresses of a link only names the option that takes them.
func TestLinkLocalOnly(t *testing.T) {
	all := []Interface{{Name: "lo", Up: true, Loopback: true, Prefixes: prefixes("127.0.0.1/8", "::1/128")}, {Name: "eth1", Up: true, Prefixes: prefixes("fe80::7/64")}}
	_, _, err := Candidates(all, Selection{}, "auto")
	if err == nil || !strings.Contains(err.Error(), "eth1 has fe80::7 only; if all hosts are on that link, choose it with bind=eth1") {
		t.Errorf("the error is %v", err)
	}
	s, _ := ParseSelection("eth1")
	if list, _, err := Candidates(all, s, "auto"); err != nil || addresses(list) != "fe80::7%eth1" {
		t.Errorf("bind=eth1: %v, %v", list, err)
	}
}

// TestLeftOut leaves out what is for guests, says so, and takes it if nothing else exists. A bridge
// with a network card as a port is the host's own interface.
func TestLeftOut(t *testing.T) {
	list, left, err := Candidates(server("7"), Selection{}, "4")
	if err != nil || !strings.Contains(left, "docker0, veth12ab, virbr0") || len(list) != 3 {
		t.Errorf("%v, %q, %v", list, left, err)
	}
	bare := slices.DeleteFunc(server("7"), func(i Interface) bool { return strings.HasPrefix(i.Name, "e") })
	if list, left, err = Candidates(bare, Selection{}, "4"); err != nil || len(list) != 3 || left != "" {
		t.Errorf("%v, %q, %v", list, left, err)
	}
	of := []Interface{
		{Name: "br0", Up: true, Kind: "bridge", Prefixes: prefixes("10.1.0.7/16")},
		{Name: "eno1", Up: true, Master: "br0"},
		{Name: "vnet3", Up: true, Kind: "tun", Master: "br0"},
		{Name: "docker0", Up: true, Kind: "bridge", Prefixes: prefixes("172.17.0.1/16")},
	}
	markInternal(of)
	if list, _, err = Candidates(of, Selection{}, "4"); err != nil || addresses(list) != "10.1.0.7" {
		t.Errorf("%v, %v", list, err)
	}
}

// TestOrder dials a peer with other names of interfaces, and with the same docker0.
func TestOrder(t *testing.T) {
	own, _, err := Candidates(server("7"), Selection{}, "4")
	if err != nil {
		t.Fatal(err)
	}
	candidate := func(name, prefix string, speed int64) Candidate {
		p := netip.MustParsePrefix(prefix)
		return Candidate{name, p.Addr(), p.Bits(), speed}
	}
	peer := []Candidate{
		candidate("ib0", "10.8.0.9/16", 200*gbit),
		candidate("docker0", "172.17.0.1/16", 0),
		candidate("eth0", "192.168.5.9/24", gbit),
		candidate("eth1", "10.2.0.9/16", 100*gbit),
		candidate("eth2", "10.1.0.9/16", 100*gbit),
		candidate("eth3", "10.7.0.9/16", 0),
	}
	// eth1 has 100 Gbit/s there and 25 here. The subnet 10.1.0.0/24 is not 10.1.0.0/16.
	for _, c := range []struct {
		own  []Candidate
		want string
	}{
		{own, "10.1.0.9 10.2.0.9 192.168.5.9 10.8.0.9 172.17.0.1 10.7.0.9"},
		{append(slices.Clone(own), candidate("docker0", "172.17.0.1/16", 0)), "10.1.0.9 10.2.0.9 192.168.5.9 10.8.0.9 10.7.0.9 172.17.0.1"},
		{nil, "10.8.0.9 10.2.0.9 10.1.0.9 192.168.5.9 172.17.0.1 10.7.0.9"},
	} {
		if got := addresses(Order(peer, c.own)); got != c.want {
			t.Errorf("%v\nwant\n%v", got, c.want)
		}
	}
	if got := Reason(own[1], peer[3]); got != "same subnet, 25 Gbit/s" {
		t.Errorf("reason %q", got)
	}
	if got := Reason(own[2], peer[5]); got != "routed, 1 Gbit/s" {
		t.Errorf("reason %q", got)
	}
}

// TestZones reaches a link-local address of a peer through the interface of this host, whatever the
// peer's is called.
func TestZones(t *testing.T) {
	own := []Candidate{{"lo", netip.MustParseAddr("fe80::7%lo"), 64, gbit}}
	peer := Candidate{"eth9", netip.MustParseAddr("fe80::9%eth9"), 64, 0}
	from, ok := From(own, peer)
	if got := Reason(from, peer); !ok || got != "same subnet, 1 Gbit/s" {
		t.Errorf("%+v, %q", from, got)
	}
	to := Reach(netip.AddrPortFrom(peer.Addr, 80), from.Addr)
	if to.String() != "[fe80::9%lo]:80" {
		t.Errorf("reached at %v", to)
	}
	lo, err := net.InterfaceByName("lo")
	if err != nil {
		t.Fatal(err)
	}
	if s := Sockaddr(to).(*unix.SockaddrInet6); s.ZoneId != uint32(lo.Index) || s.Port != 80 || netip.AddrFrom16(s.Addr) != to.Addr().WithZone("") {
		t.Errorf("%+v", s)
	}
	if to := Reach(netip.MustParseAddrPort("10.1.0.9:80"), from.Addr); to.String() != "10.1.0.9:80" {
		t.Errorf("reached at %v", to)
	}
}

// TestList finds loopback on this host.
func TestList(t *testing.T) {
	list, err := List()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list, func(i Interface) bool { return i.Loopback })
	if i < 0 || list[i].Name == "" || list[i].MTU == 0 || list[i].Internal || list[i].Speed != 0 {
		t.Fatalf("%+v", list)
	}
	tool, err := OpenTool()
	if err != nil {
		t.Fatal(err)
	}
	defer tool.Close()
	if on := tool.Features(list[i].Name); !slices.Contains(on, "loopback") {
		t.Errorf("features of %s: %v", list[i].Name, on)
	}
	if tool.Rings("nosuch0") != nil || tool.Coalesce("nosuch0") != nil || tool.Queues("nosuch0") != 0 || tool.Firmware("nosuch0") != "" {
		t.Error("an interface that does not exist has answers")
	}
}

func TestAttribute(t *testing.T) {
	b := []byte{5, 0, 9, 0, 'x', 0, 0, 0, 9, 0, 1, 0, 'v', 'e', 't', 'h', 0}
	if got := cString(attribute(b, 1)); got != "veth" {
		t.Errorf("%q", got)
	}
	for n := range b {
		attribute(b[:n], 1) // does not panic
	}
}

// Numbers take the fastest interfaces in turn; the order of the rest stays.
func TestTurn(t *testing.T) {
	list := []Candidate{{Interface: "ib0", Speed: 2}, {Interface: "ib1", Speed: 2}, {Interface: "eth0", Speed: 1}, {Interface: "ib1", Speed: 2, Bits: 64}}
	for number, want := range [][]int{{0, 1, 2, 3}, {1, 3, 0, 2}, {0, 1, 2, 3}} {
		for i, c := range Turn(list, number) {
			if c != list[want[i]] {
				t.Errorf("number %d, position %d: %v, want %v", number, i, c, list[want[i]])
			}
		}
	}
	if got := Turn(nil, 1); got != nil {
		t.Errorf("no candidate: %v", got)
	}
}
