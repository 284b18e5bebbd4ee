package sockets

import (
	"context"
	"net"
	"testing"

	"golang.org/x/net/nettest"
)

// pair returns both ends of a connection of a listener.
func pair(t testing.TB, d Dialer, l ListenConfig) (dialed, accepted net.Conn) {
	t.Helper()
	dialed, accepted, stop, err := pipe(d, l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return dialed, accepted
}

func pipe(d Dialer, c ListenConfig) (dialed, accepted net.Conn, stop func(), err error) {
	l, err := c.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, nil, err
	}
	if dialed, err = d.Dial("tcp", l.Addr().String()); err == nil {
		accepted, err = l.Accept()
	}
	return dialed, accepted, func() {
		dialed.Close()
		accepted.Close()
		l.Close()
	}, err
}

// variants are settings under which all tests of net.Conn must pass.
var variants = map[string]Options{
	"default":  {},
	"sleeping": {Poll: -1},
	"narrow":   {Buffer: minBuffer, Direct: 1 << 10},
	"copied":   {Direct: -1},
}

func TestConn(t *testing.T) {
	for name, o := range variants {
		t.Run(name, func(t *testing.T) {
			nettest.TestConn(t, func() (net.Conn, net.Conn, func(), error) {
				return pipe(Dialer{Options: o}, ListenConfig{Options: o})
			})
		})
	}
	t.Run("unix", func(t *testing.T) {
		nettest.TestConn(t, func() (net.Conn, net.Conn, func(), error) {
			return pipe(Dialer{first: overUnix}, ListenConfig{})
		})
	})
}
