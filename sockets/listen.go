package sockets

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// A ListenConfig makes listeners. The zero ListenConfig has the defaults.
type ListenConfig struct {
	net.ListenConfig
	Options Options

	first channel // for tests: channels before it are not used
}

// Listen listens as net.Listen does, with the zero ListenConfig.
func Listen(network, address string) (net.Listener, error) {
	var l ListenConfig
	return l.Listen(context.Background(), network, address)
}

// Listen listens as net.ListenConfig.Listen does. A listener on tcp, tcp4 or tcp6 accepts the
// connections of a Dialer of this package on the same host and of the same user through shared
// memory, and those of all others over TCP. Other networks are left to package net.
func (l *ListenConfig) Listen(ctx context.Context, network, address string) (net.Listener, error) {
	outer, err := l.ListenConfig.Listen(ctx, network, address)
	if err != nil {
		return nil, err
	}
	tcp, ok := outer.(*net.TCPListener)
	if !ok {
		return outer, nil
	}
	at := tcp.Addr().(*net.TCPAddr).AddrPort()
	at = netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
	inner, err := net.Listen("unix", namePrefix+at.String())
	if err != nil {
		// Another process listens on the same port (SO_REUSEPORT), or there are no Unix sockets.
		return outer, nil
	}
	f := &Listener{tcp: tcp, unix: inner.(*net.UnixListener), only6: network == "tcp6",
		settings: l.Options.settings(), first: l.first,
		ready: make(chan accepted), slots: make(chan struct{}, backlog)}
	f.life, f.end = context.WithCancel(context.Background())
	f.background.Go(f.acceptTCP)
	f.background.Go(f.acceptUnix)
	return f, nil
}

// A Listener accepts fast connections and those over TCP.
type Listener struct {
	tcp      *net.TCPListener
	unix     *net.UnixListener
	only6    bool
	settings settings
	first    channel

	ready      chan accepted
	slots      chan struct{}   // of fast connections that nobody has accepted yet
	life       context.Context // until Close
	end        context.CancelFunc
	background sync.WaitGroup
	number     atomic.Uint32
}

type accepted struct {
	conn net.Conn
	err  error
}

// backlog is the number of fast connections that wait for Accept. More are made over TCP.
const backlog = 128

// Accept waits for a connection. Its error comes from the TCP listener.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case <-l.life.Done():
	default:
		select {
		case a := <-l.ready:
			return a.conn, a.err
		case <-l.life.Done():
		}
	}
	return nil, &net.OpError{Op: "accept", Net: "tcp", Addr: l.Addr(), Err: net.ErrClosed}
}

// Addr returns the address of the TCP listener.
func (l *Listener) Addr() net.Addr { return l.tcp.Addr() }

// Close stops listening. Connections that were accepted stay.
func (l *Listener) Close() error {
	err := l.tcp.Close()
	l.end()
	l.unix.Close()
	l.background.Wait()
	return err
}

// deliver hands a connection to Accept, or closes it with the listener.
func (l *Listener) deliver(a accepted) bool {
	select {
	case l.ready <- a:
		return true
	case <-l.life.Done():
		if a.conn != nil {
			a.conn.Close()
		}
		return false
	}
}

func (l *Listener) acceptTCP() {
	for {
		c, err := l.tcp.Accept()
		if !l.deliver(accepted{c, err}) {
			return
		}
	}
}

func (l *Listener) acceptUnix() {
	for {
		c, err := l.unix.AcceptUnix()
		if err != nil {
			select {
			case <-l.life.Done():
				return
			case <-time.After(time.Millisecond): // out of descriptors: connections come over TCP
				continue
			}
		}
		select {
		case l.slots <- struct{}{}:
			l.background.Go(func() {
				defer func() { <-l.slots }()
				if fast := shake(l.life, c, l.welcome); fast != nil {
					l.deliver(accepted{fast, nil})
				}
			})
		default:
			c.Close()
		}
	}
}

// welcome runs the accepting side of the handshake, until the deadline of c, which it removes. It
// owns c if it returns no error.
func (l *Listener) welcome(c *net.UnixConn) (net.Conn, error) {
	pid, err := peerOf(c)
	if err != nil {
		return nil, err
	}
	b := make([]byte, helloSize)
	fds, err := receive(c, b, 2)
	if err != nil {
		return nil, err
	}
	h, err := decodeHello(b)
	if err == nil && l.only6 && h.address.Is4() {
		err = errHandshake
	}
	if err != nil {
		closeAll(fds)
		return nil, err
	}
	var own shared
	if w := h.channel; w == overMemory && l.first == overMemory {
		own, _ = openShared(fds, int(h.buffer)) // without memory the connection is a Unix socket
	} else {
		closeAll(fds)
	}
	answer := welcome{status: welcomeMemory, number: l.next(), markAddress: ownMark().address(), mark: *ownMark()}
	if own.mem == nil {
		answer.status = welcomeUnix
	}
	if l.first == overTCP {
		answer.status = refused
	}
	if _, err := c.Write(answer.encode()); err != nil {
		own.close()
		return nil, err
	}
	if answer.status == refused {
		own.close()
		return nil, errHandshake
	}
	c.SetDeadline(time.Time{})
	local := net.TCPAddrFromAddrPort(netip.AddrPortFrom(h.address, uint16(l.Addr().(*net.TCPAddr).Port)))
	remote := &net.TCPAddr{IP: local.IP, Port: int(answer.number)}
	if answer.status == welcomeUnix {
		return &unixConn{c, local, remote}, nil
	}
	return begin(1, own, c, l.settings, pid, reachable(pid, h.markAddress, h.mark), local, remote)
}

// next returns the number of the next connection, 1 to 65535.
func (l *Listener) next() uint16 { return uint16((l.number.Add(1)-1)%65535 + 1) }
