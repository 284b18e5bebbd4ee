package sockets

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"

	"gobench/device"
	"gobench/device/contact"
	"gobench/internal/netif"
	"gobench/internal/remedy"
	"gobench/sockets"
)

// An endpoint describes a rank to the others.
type endpoint struct {
	Process   string            `json:"process"`          // by device.Process
	Secret    []byte            `json:"secret,omitempty"` // of rank 0: it keeps strangers out, and protects no data
	Name      string            `json:"name,omitempty"`   // of its Unix socket
	Port      uint16            `json:"port,omitempty"`
	Addresses []netif.Candidate `json:"addresses,omitempty"`
}

// version changes whenever the format of endpoints does.
const version = 3

// oneTry bounds the time for one address, so that the next is tried.
const oneTry = 5 * time.Second

// connect connects this rank with all others. It is collective.
func (c *channel) connect(ctx context.Context, job device.Job) error {
	alone := job.LocalSize() == job.Size()
	mine := endpoint{Process: device.Process()}
	l, err := c.announce(ctx, &mine, alone)
	all, err := device.Agree(ctx, job, version, mine, err)
	if err == nil && len(all[0].Secret) != contact.SecretSize {
		err = &device.ProtocolError{Rank: 0, Detail: "it has sent no secret"}
	}
	if err != nil {
		if l != nil {
			l.Close()
		}
		return err
	}
	c.goroutines = true
	for _, e := range all {
		c.goroutines = c.goroutines && e.Process == mine.Process
	}
	err = c.meet(ctx, job, all, l)
	// No rank begins before all are connected, and all learn of a failure.
	_, err = device.Agree(ctx, job, version, struct{}{}, err)
	return err
}

// meet connects this rank with all others, whose endpoints are all. It closes the listener.
func (c *channel) meet(ctx context.Context, job device.Job, all []endpoint, l net.Listener) error {
	mine := all[c.rank]
	crowd := contact.Crowd(job.LocalSize(), device.Processors(job))
	var own []string
	for _, a := range mine.Addresses {
		own = append(own, netip.AddrPortFrom(a.Addr, mine.Port).String())
	}
	k := contact.New(contact.Settings{
		Rank: c.rank, Size: len(all), Connections: 1, Connects: func(a, b int) bool { return a != b },
		Secret:  contact.Secret(all[0].Secret),
		Targets: func(rank int) ([]contact.Target, error) { return c.targets(all[rank], mine, rank), nil },
		Hello:   contact.HelloDeadline * crowd,
		Hosts:   job.LocalSize() < job.Size(), Own: own, Host: func(rank int) string { return device.HostName(job, rank) },
		Remedy: fmt.Sprintf("open TCP ports there, or measure with %v, whose ports %v fixes", remedy.Set("transport", "tcp"), remedy.Transport("port", "N")),
	}, []net.Listener{l})
	defer k.Close()
	for rank := range all {
		if rank != c.rank {
			k.Expect(rank, contact.OpenDeadline*crowd)
		}
	}
	for rank := range all {
		if rank == c.rank {
			continue
		}
		select {
		case <-k.Over(rank):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if err := k.Err(rank); err != nil {
			return err
		}
	}
	var err error
	for _, p := range k.Take() {
		err = errors.Join(err, c.attach(p.Rank, p.Conns[0]))
	}
	if len(c.watched) > 0 {
		c.unwatch = make(chan struct{})
		c.watching.Go(func() { watchHosts(c.watched, c.unwatch) })
	}
	return err
}

// announce listens and fills in this rank's endpoint.
func (c *channel) announce(ctx context.Context, e *endpoint, alone bool) (net.Listener, error) {
	if c.rank == 0 {
		secret := contact.NewSecret()
		e.Secret = secret[:]
	}
	if c.settings.family == familyUnix && !alone {
		return nil, errors.New("sockets of family=unix join ranks of one host only: use family=tcp or family=fast")
	}
	l, err := listen(ctx, c.settings, alone)
	if err != nil {
		return nil, netif.ListenError(err)
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

// A target is an address of a rank. It implements contact.Target.
type target struct {
	settings    settings
	network, to string
	here        bool // the rank is on this host
}

// targets returns the addresses of a rank, the likeliest first.
func (c *channel) targets(e, mine endpoint, rank int) (list []contact.Target) {
	t := target{settings: c.settings, network: "unix", to: e.Name, here: c.hosts[rank] == c.hosts[c.rank]}
	if e.Name != "" {
		return []contact.Target{t}
	}
	t.network = "tcp"
	for _, a := range netif.Order(e.Addresses, mine.Addresses) {
		t.to = netip.AddrPortFrom(a.Addr, e.Port).String()
		list = append(list, t)
	}
	return list
}

func (t target) String() string { return t.to }

// Dial implements contact.Target. The connection of family=fast to another host is made by package
// net, because a sockets.Dialer with a Control function, which sets the buffers, never shares
// memory.
func (t target) Dial(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, oneTry)
	defer cancel()
	plain := net.Dialer{Control: t.settings.buffers}
	dial := plain.DialContext
	if t.settings.family == familyFast && t.here {
		dial = (&sockets.Dialer{Options: t.settings.options}).DialContext
	}
	conn, err := dial(ctx, t.network, t.to)
	if errno := syscall.Errno(0); errors.As(err, &errno) { // package net would repeat the address
		return nil, errno
	}
	return conn, err
}

// Final implements contact.Target.
func (t target) Final(err error) string {
	if at, e := netip.ParseAddrPort(t.to); e == nil && at.Addr().IsLoopback() {
		return netif.LoopDown(err)
	}
	return ""
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
		return fmt.Errorf("the stream to rank %d: %w", rank, err)
	}
	go p.write()
	c.peers[rank] = p
	c.watch(p, conn.RemoteAddr())
	return nil
}
