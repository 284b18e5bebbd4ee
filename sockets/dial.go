package sockets

import (
	"cmp"
	"context"
	"net"
	"net/netip"
	"strconv"
	"time"
)

// A Dialer connects through shared memory to a Listener of this package on the same host, and over
// TCP to all others. The zero Dialer has the defaults.
type Dialer struct {
	net.Dialer // of connections over TCP; Resolver is used for all
	Options    Options

	first channel // for tests: channels before it are not used
}

// Dial connects as net.Dial does, with the zero Dialer.
func Dial(network, address string) (net.Conn, error) {
	var d Dialer
	return d.Dial(network, address)
}

// Dial is DialContext without a context.
func (d *Dialer) Dial(network, address string) (net.Conn, error) {
	return d.DialContext(context.Background(), network, address)
}

// DialContext connects as net.Dialer.DialContext does. The networks tcp, tcp4 and tcp6 are those
// that may become fast, unless LocalAddr or a Control function is set; the rest is left to package
// net. The connection is a *Conn in shared memory; a Unix
// socket if a Listener of this package listens there but memory cannot be shared; or a
// *net.TCPConn.
func (d *Dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if d.LocalAddr != nil || d.Control != nil || d.ControlContext != nil {
		return d.Dialer.DialContext(ctx, network, address)
	}
	limit := d.Deadline
	if t := time.Now().Add(d.Timeout); d.Timeout > 0 && (limit.IsZero() || t.Before(limit)) {
		limit = t
	}
	within := ctx
	if !limit.IsZero() {
		var cancel context.CancelFunc
		within, cancel = context.WithDeadline(ctx, limit)
		defer cancel()
	}
	for _, to := range d.resolve(within, network, address) {
		if c := d.inside(within, to); c != nil {
			return c, nil
		}
	}
	rest := d.Dialer
	rest.Timeout, rest.Deadline = 0, limit
	return rest.DialContext(ctx, network, address)
}

// resolve returns the addresses of this host that address stands for.
func (d *Dialer) resolve(ctx context.Context, network, address string) (local []netip.AddrPort) {
	family := map[string]string{"tcp": "ip", "tcp4": "ip4", "tcp6": "ip6"}[network]
	host, service, err := net.SplitHostPort(address)
	if family == "" || err != nil {
		return nil
	}
	port, err := strconv.ParseUint(service, 10, 16)
	if err != nil {
		n, err := net.DefaultResolver.LookupPort(ctx, network, service)
		if err != nil {
			return nil
		}
		port = uint64(n)
	}
	host = cmp.Or(host, "127.0.0.1")
	list := []netip.Addr(nil)
	if ip, err := netip.ParseAddr(host); err == nil {
		list = []netip.Addr{ip}
	} else {
		resolver := d.Resolver
		resolver = cmp.Or(resolver, net.DefaultResolver)
		list, _ = resolver.LookupNetIP(ctx, family, host)
	}
	for _, ip := range list {
		ip = ip.Unmap()
		if ip.IsUnspecified() {
			ip = map[bool]netip.Addr{true: netip.AddrFrom4([4]byte{127, 0, 0, 1}), false: netip.IPv6Loopback()}[ip.Is4()]
		}
		if (family == "ip" || (family == "ip4") == ip.Is4()) && isLocal(ip) {
			local = append(local, netip.AddrPortFrom(ip, uint16(port)))
		}
	}
	return local
}

// isLocal reports whether an address is one of this host: then the kernel sends to it from itself.
func isLocal(ip netip.Addr) bool {
	if ip.IsLoopback() {
		return true
	}
	c, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(netip.AddrPortFrom(ip, 9))) // sends nothing
	if err != nil {
		return false
	}
	defer c.Close()
	return c.LocalAddr().(*net.UDPAddr).AddrPort().Addr().Unmap().WithZone("") == ip.WithZone("")
}

// inside connects to a Listener of this package, or returns nil.
func (d *Dialer) inside(ctx context.Context, to netip.AddrPort) net.Conn {
	if d.first == overTCP || ctx.Err() != nil {
		return nil
	}
	limited := net.Dialer{Timeout: handshakeTimeout}
	for _, name := range namesFor(to) {
		c, err := limited.DialContext(ctx, "unix", name)
		if err != nil {
			continue
		}
		// A cancelled context is reported by the dialer of TCP.
		return shake(ctx, c.(*net.UnixConn), func(c *net.UnixConn) (net.Conn, error) {
			return greet(c, d.Options.settings(), to, d.first)
		})
	}
	return nil
}

// A listener for 127.0.0.1:80 has the abstract Unix socket @gobench-sockets/127.0.0.1:80 as well.
// Such names belong to a network namespace, as ports do.
const namePrefix = "@gobench-sockets/"

// namesFor returns the names of listeners that an address may reach.
func namesFor(to netip.AddrPort) []string {
	names := []string{namePrefix + to.String()}
	if to.Addr().Is4() {
		names = append(names, namePrefix+netip.AddrPortFrom(netip.IPv4Unspecified(), to.Port()).String())
	}
	return append(names, namePrefix+netip.AddrPortFrom(netip.IPv6Unspecified(), to.Port()).String())
}
