package pending

import (
	"net"
	"testing"
)

type conn struct {
	net.Conn
	from   net.Addr
	closed bool
}

func (c *conn) RemoteAddr() net.Addr { return c.from }
func (c *conn) Close() error         { c.closed = true; return nil }

func from(ip string) *conn { return &conn{from: &net.TCPAddr{IP: net.ParseIP(ip), Port: 4000}} }

// A flood from one source, or from all addresses of one prefix of IPv6, displaces its own
// connections only; idle ones of one source are displaced in their order.
func TestFloodDisplacesItsOwn(t *testing.T) {
	for name, flood := range map[string]func(i int) string{
		"4": func(int) string { return "10.0.0.9" },
		"6": func(i int) string { return net.IP(append(net.ParseIP("fd00:0:0:9::")[:15], byte(i))).String() },
	} {
		l := List{Max: 8}
		ranks := []*conn{from("10.0.0.1"), from("10.0.0.2"), from("::ffff:10.0.0.2")}
		for _, c := range ranks {
			l.Add(c)
		}
		var strangers []*conn
		for i := range 100 {
			c := from(flood(i))
			strangers = append(strangers, c)
			l.Add(c)
		}
		for i, c := range ranks {
			if c.closed || !l.Remove(c) {
				t.Errorf("%s: the connection of rank %d was displaced", name, i)
			}
		}
		for i, c := range strangers {
			if c.closed != (i < 95) {
				t.Errorf("%s: stranger %d of 100 is closed: %v", name, i, c.closed)
			}
		}
		if l.Remove(ranks[0]) || l.Remove(strangers[0]) {
			t.Errorf("%s: a connection is removed that is not there", name)
		}
		l.Close()
		if !strangers[99].closed {
			t.Errorf("%s: the last one stays open", name)
		}
	}
}

// Sources of a Unix socket count as one.
func TestSourceWithoutAddress(t *testing.T) {
	l := List{Max: 1}
	a, b := &conn{from: &net.UnixAddr{Name: "@"}}, &conn{from: &net.UnixAddr{Name: "@"}}
	l.Add(a)
	l.Add(b)
	if !a.closed || b.closed {
		t.Errorf("closed: %v, %v", a.closed, b.closed)
	}
}
