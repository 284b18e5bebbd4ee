package sockets

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"slices"
	"syscall"
	"time"

	"gobench/device"
	"gobench/internal/netif"
	"gobench/sockets"
)

// An endpoint describes a rank to the others.
type endpoint struct {
	PID       int               `json:"pid"`
	Secret    []byte            `json:"secret,omitempty"` // of rank 0: it keeps strangers out, and protects no data
	Name      string            `json:"name,omitempty"`   // of its Unix socket
	Port      uint16            `json:"port,omitempty"`
	Addresses []netif.Candidate `json:"addresses,omitempty"`
}

// version changes whenever the format of endpoints does.
const version = 1

const (
	secretSize  = 16
	helloSize   = secretSize + 4
	helloWithin = 10 * time.Second
	oneTry      = 2 * time.Second // for an address that has another behind it
)

// connect connects this rank with all others: the higher rank of a pair dials. It is collective.
func (c *channel) connect(ctx context.Context, job device.Job) error {
	alone := job.LocalSize() == job.Size()
	mine := endpoint{PID: os.Getpid()}
	l, err := c.announce(ctx, &mine, alone)
	if err == nil {
		defer l.Close()
	}
	all, err := device.Agree(ctx, job, version, mine, err)
	if err != nil {
		return err
	}
	c.goroutines = true
	for _, e := range all {
		c.goroutines = c.goroutines && e.PID == mine.PID && alone
	}
	secret := all[0].Secret
	if len(secret) != secretSize {
		return &device.ProtocolError{Rank: 0, Detail: "it has sent no secret"}
	}
	ctx, cancel := context.WithTimeout(ctx, helloWithin)
	defer cancel()
	defer context.AfterFunc(ctx, func() { l.Close() })() // ends Accept
	accepted := make(chan error, 1)
	go func() { accepted <- c.acceptAll(l, secret) }()
	for rank := range c.rank {
		if err = c.dial(ctx, rank, all[rank], mine, secret); err != nil {
			l.Close()
			break
		}
	}
	err = errors.Join(err, <-accepted)
	// No rank begins before all are connected, and all learn of a failure.
	_, err = device.Agree(context.WithoutCancel(ctx), job, version, struct{}{}, err)
	return err
}

// announce listens and fills in this rank's endpoint.
func (c *channel) announce(ctx context.Context, e *endpoint, alone bool) (net.Listener, error) {
	if c.rank == 0 {
		e.Secret = make([]byte, secretSize)
		rand.Read(e.Secret)
	}
	if c.settings.family == familyUnix && !alone {
		return nil, errors.New("sockets of family=unix join ranks of one host only: use family=tcp or family=fast")
	}
	l, err := listen(ctx, c.settings, alone)
	if err != nil {
		return nil, err
	}
	if at, ok := l.Addr().(*net.TCPAddr); ok {
		e.Port = at.AddrPort().Port()
		e.Addresses, err = addresses(alone)
	} else {
		e.Name = l.Addr().String()
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// addresses returns those by which this host can be reached.
func addresses(alone bool) ([]netif.Candidate, error) {
	if alone {
		return []netif.Candidate{{Addr: netip.AddrFrom4([4]byte{127, 0, 0, 1}), Bits: 8}}, nil
	}
	list, _, err := netif.Own(netif.Selection{}, "auto")
	return list, err
}

// listen opens the listener of a family, on loopback if all ranks are on this host.
func listen(ctx context.Context, s settings, alone bool) (net.Listener, error) {
	config := net.ListenConfig{Control: s.buffers}
	address := ":0"
	if alone {
		address = "127.0.0.1:0"
	}
	switch s.family {
	case familyUnix:
		return config.Listen(ctx, "unix", "@gobench-"+rand.Text())
	case familyFast:
		return (&sockets.ListenConfig{ListenConfig: config, Options: s.options}).Listen(ctx, "tcp", address)
	}
	return config.Listen(ctx, "tcp", address)
}

// buffers sets the sizes of the kernel's buffers before a socket is connected.
func (s settings) buffers(_, _ string, raw syscall.RawConn) error {
	if s.buffer == 0 {
		return nil
	}
	var err error
	e := raw.Control(func(fd uintptr) {
		err = errors.Join(syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_SNDBUF, s.buffer),
			syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, s.buffer))
	})
	return errors.Join(e, err)
}

// dial connects to a lower rank and introduces this one.
func (c *channel) dial(ctx context.Context, rank int, e, mine endpoint, secret []byte) error {
	conn, err := c.reach(ctx, e, mine, c.hosts[rank] == c.hosts[c.rank])
	if err != nil {
		return &device.PeerError{Rank: rank, Cause: fmt.Sprintf("it cannot be reached: %v", err)}
	}
	hello := binary.LittleEndian.AppendUint32(slices.Clone(secret), uint32(c.rank))
	conn.SetDeadline(time.Now().Add(helloWithin))
	if _, err = conn.Write(hello); err == nil {
		_, err = io.ReadFull(conn, hello[:1])
	}
	if err != nil {
		conn.Close()
		return &device.PeerError{Rank: rank, Cause: fmt.Sprintf("it does not answer: %v", err)}
	}
	return c.attach(rank, conn)
}

// reach connects to a rank, which is here if it is on this host. The connection of family=fast to
// another host is made by package net, because a sockets.Dialer with a Control function, which sets
// the buffers, never shares memory.
func (c *channel) reach(ctx context.Context, e, mine endpoint, here bool) (conn net.Conn, err error) {
	plain := net.Dialer{Control: c.settings.buffers}
	dial := plain.DialContext
	if c.settings.family == familyFast && here {
		dial = (&sockets.Dialer{Options: c.settings.options}).DialContext
	}
	if e.Name != "" {
		return dial(ctx, "unix", e.Name)
	}
	err = errors.New("it has told no address")
	addresses := netif.Order(e.Addresses, mine.Addresses)
	for i, a := range addresses {
		one, cancel := ctx, context.CancelFunc(func() {})
		if i < len(addresses)-1 {
			one, cancel = context.WithTimeout(ctx, oneTry)
		}
		conn, err = dial(one, "tcp", netip.AddrPortFrom(a.Addr, e.Port).String())
		cancel()
		if err == nil {
			return conn, nil
		}
	}
	return nil, err
}

// acceptAll accepts the connections of all higher ranks.
func (c *channel) acceptAll(l net.Listener, secret []byte) error {
	for left := len(c.peers) - 1 - c.rank; left > 0; {
		conn, err := l.Accept()
		if err != nil {
			return fmt.Errorf("waiting for %d higher ranks: %w", left, err)
		}
		hello := make([]byte, helloSize)
		conn.SetDeadline(time.Now().Add(time.Second))
		if _, err := io.ReadFull(conn, hello); err != nil || subtle.ConstantTimeCompare(hello[:secretSize], secret) != 1 {
			conn.Close() // a stranger
			continue
		}
		rank := int(binary.LittleEndian.Uint32(hello[secretSize:]))
		if rank <= c.rank || rank >= len(c.peers) || c.peers[rank] != nil {
			conn.Close()
			continue
		}
		if _, err := conn.Write([]byte{1}); err != nil {
			conn.Close()
			return &device.PeerError{Rank: rank, Cause: err.Error()}
		}
		if err := c.attach(rank, conn); err != nil {
			return err
		}
		left--
	}
	return nil
}

// attach makes the stream of a peer.
func (c *channel) attach(rank int, conn net.Conn) error {
	conn.SetDeadline(time.Time{})
	p := &peer{rank: rank, of: c, channel: sockets.Channel(conn), sends: make(chan *request, queued), written: make(chan struct{})}
	if conn.LocalAddr().Network() == "unix" {
		p.channel = "unix"
	}
	var err error
	if p.stream, err = newStream(conn, c.settings); err != nil {
		conn.Close()
		return err
	}
	go p.write()
	c.peers[rank] = p
	return nil
}
