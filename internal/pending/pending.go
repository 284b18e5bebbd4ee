// Package pending bounds the connections that a listener has accepted and not authenticated yet.
package pending

import (
	"net"
	"net/netip"
	"slices"
)

// A List holds connections that are not authenticated yet, at most Max. Where one comes in
// addition, the oldest one of the source that has most of them is closed: idle connections block no
// others, and a flood from one source displaces only its own. A source is an address of IPv4, the
// 64-bit prefix of one of IPv6, or all of a network without addresses.
//
// It is not safe for concurrent use.
type List struct {
	Max int
	all []entry // the oldest first
	of  map[netip.Prefix]int
}

type entry struct {
	conn net.Conn
	from netip.Prefix
}

// Add adds a connection.
func (l *List) Add(c net.Conn) {
	e := entry{c, source(c.RemoteAddr())}
	if l.of == nil {
		l.of = map[netip.Prefix]int{}
	}
	l.all = append(l.all, e)
	l.of[e.from]++
	if len(l.all) <= l.Max {
		return
	}
	largest := e.from
	for _, o := range l.all {
		if l.of[o.from] > l.of[largest] {
			largest = o.from
		}
	}
	oldest := slices.IndexFunc(l.all, func(o entry) bool { return o.from == largest })
	l.all[oldest].conn.Close() // whoever authenticates it gets an error
	l.drop(oldest)
}

// Remove removes a connection, which stays open, and reports whether it was there.
func (l *List) Remove(c net.Conn) bool {
	i := slices.IndexFunc(l.all, func(e entry) bool { return e.conn == c })
	if i < 0 {
		return false
	}
	l.drop(i)
	return true
}

func (l *List) drop(i int) {
	from := l.all[i].from
	if l.of[from]--; l.of[from] == 0 {
		delete(l.of, from)
	}
	l.all = slices.Delete(l.all, i, i+1)
}

// Close closes all connections, which stay in the list until they are removed.
func (l *List) Close() {
	for _, e := range l.all {
		e.conn.Close()
	}
}

// source returns the source of a connection, the zero value for a network without addresses.
func source(a net.Addr) netip.Prefix {
	at, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return netip.Prefix{}
	}
	ip := at.Addr().Unmap().WithZone("")
	bits := ip.BitLen()
	if ip.Is6() {
		bits = 64
	}
	p, _ := ip.Prefix(bits)
	return p
}
