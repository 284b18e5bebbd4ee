package tcp

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/internal/netif"
)

// An endpoint describes a rank to the others before any connection exists.
type endpoint struct {
	Version     uint16
	Connections int
	Addresses   []address // of its host, best first
	Vsock       vsockAddr // with family=vsock
	Process     []byte    // the same for ranks that share a process
	Secret      []byte    // of the job; from rank 0 only
}

// process identifies this process in endpoints.
var process = func() []byte {
	b := make([]byte, 16)
	rand.Read(b)
	return b
}()

// mesh holds the connections of this rank.
type mesh struct {
	conns      [][]connection // by rank and index
	goroutines bool           // this rank and its peers share a process
	way        string         // route, for the record
	later      *later         // nil: no pair is connected later
}

// later makes the connections that are not made when the device is opened.
type later struct {
	*contacts
	acceptor *acceptor
}

func (l *later) close() {
	l.acceptor.close()
	l.contacts.close()
}

// early reports whether two ranks are connected when the device is opened: all pairs, or the edges
// of a hypercube, which are those of binomial trees and of recursive doubling. So the network is
// tested, and the first barrier need not connect one pair after the other.
func (s settings) early(a, b int) bool {
	differ := a ^ b
	return !s.lazy || differ&(differ-1) == 0
}

// connect connects the pairs of ranks of the job that set.pairs selects, and that are connected
// early: the lower listens, the higher connects. It is collective, and returns on all ranks within
// the deadline.
func connect(outer context.Context, job device.Job, set settings) (*mesh, error) {
	ctx, cancel := context.WithTimeout(outer, set.deadline)
	defer cancel()
	me, size := job.Rank(), job.Size()
	var peers, early []int
	for rank := range size {
		if set.pairs.Connect(me, rank) {
			peers = append(peers, rank)
			if set.early(me, rank) {
				early = append(early, rank)
			}
		}
	}

	mine := endpoint{Version: version, Connections: set.connections, Process: process}
	if me == 0 {
		mine.Secret = make([]byte, secretSize)
		rand.Read(mine.Secret)
	}
	local := job.LocalSize() == size
	var own []netif.Candidate
	var left string
	var failed error
	if set.family == "vsock" {
		mine.Vsock.CID, failed = ownCID(local)
	} else {
		own, left, failed = ownAddresses(set.bind, set.ipVersion(), local)
	}
	for _, c := range own {
		mine.Addresses = append(mine.Addresses, address{Candidate: c})
	}
	if failed == nil {
		failed = set.enough(size, len(early))
	}
	var listeners []net.Listener
	called := func(peer int) bool { return peer > me || !set.early(me, peer) }
	// A rank to which no other connects listens, too, if bind may be an address that its host
	// lacks: only listening reveals that, and its own connections would fail one after the other
	// until the deadline.
	if failed == nil && (set.bind != "" || slices.ContainsFunc(peers, called)) {
		listeners, failed = set.listen(ctx, me, &mine, local && set.bind == "")
	}
	all, err := exchangeEndpoints(ctx, job, mine, failed)
	var root endpoint
	if err == nil {
		root, err = all.of(0)
	}
	m := &mesh{goroutines: len(early) > 0, conns: make([][]connection, size)}
	for _, peer := range early {
		if err == nil {
			var e endpoint
			e, err = all.of(peer)
			m.goroutines = m.goroutines && string(e.Process) == string(process)
		}
	}
	if err != nil {
		closeAll(listeners)
		return nil, err
	}
	k := newContacts(set, me, size, (*secret)(root.Secret), func(peer int) ([]target, error) {
		e, err := all.of(peer)
		return targets(e, own, set.bind != ""), err
	})
	m.later = &later{k, newAcceptor(k, listeners)}
	for _, peer := range early {
		if peer < me {
			k.call(peer, set.deadline)
		}
	}
	for _, peer := range early {
		select {
		case <-k.of[peer].over:
			err = k.of[peer].err
		case <-ctx.Done():
			err = &device.PeerError{Rank: peer, Cause: m.later.acceptor.cause()}
		}
		if err != nil {
			break
		}
	}
	if err != nil && outer.Err() != nil {
		err = fmt.Errorf("connecting the ranks: %w", context.Cause(outer))
	}
	if len(early) == len(peers) || err != nil {
		m.later.acceptor.close()
	}
	for _, c := range k.take() {
		if c.err == nil {
			m.conns[c.rank] = c.conns
		}
	}
	if err == nil {
		m.way = m.route(me, all, left, set.bind)
		err = m.finish(set)
	}
	if err != nil {
		m.close()
		return nil, err
	}
	if len(early) == len(peers) {
		k.close()
		m.later = nil
	}
	return m, nil
}

// endpoints holds the endpoints of all ranks as received. They are decoded on demand, because in
// large jobs each rank uses only some of them.
type endpoints struct {
	mine endpoint
	text [][]byte // JSON, by rank
}

// refuses is the first byte of the message that a rank sends instead of its endpoint if it cannot
// take part.
const refuses = '!'

// exchangeEndpoints returns the endpoints of all ranks. failed is the reason why this rank cannot
// take part, or nil; if any rank cannot, all return an error. It does what device.Agree does, but
// leaves the decoding to of: with Agree, opening took 256 ranks on two cores 0.6 to 1.8 s longer
// than 1.6 to 3.0 s.
func exchangeEndpoints(ctx context.Context, job device.Job, mine endpoint, failed error) (*endpoints, error) {
	text, err := json.Marshal(mine)
	if err != nil {
		return nil, err
	}
	if failed != nil {
		text = append([]byte{refuses}, failed.Error()...)
	}
	all, err := job.Exchange(ctx, text)
	if failed != nil {
		return nil, failed
	}
	if err != nil {
		return nil, fmt.Errorf("exchanging the addresses of all ranks: %w", err)
	}
	if len(all) != job.Size() {
		return nil, fmt.Errorf("the launcher exchanged the addresses of %d ranks among %d", len(all), job.Size())
	}
	for rank, text := range all {
		if why, ok := bytes.CutPrefix(text, []byte{refuses}); ok {
			return nil, &device.PeerError{Rank: rank, Cause: string(why)}
		}
	}
	return &endpoints{mine, all}, nil
}

// of returns the endpoint of a rank, or an error if it is not compatible with this one.
func (all *endpoints) of(rank int) (e endpoint, err error) {
	wrong := func(format string, a ...any) (endpoint, error) {
		return endpoint{}, &device.ProtocolError{Rank: rank, Detail: fmt.Sprintf(format, a...)}
	}
	if err := json.Unmarshal(all.text[rank], &e); err != nil {
		return wrong("its addresses cannot be read: %v", err)
	}
	switch mine := all.mine; {
	case e.Version != mine.Version:
		return wrong("it speaks version %d of the protocol, this is version %d", e.Version, mine.Version)
	case e.Connections != mine.Connections:
		return wrong("it was started with connections=%d, this rank with %d", e.Connections, mine.Connections)
	case rank == 0 && len(e.Secret) != secretSize:
		return wrong("it gave no secret for the job")
	}
	return e, nil
}

// finish sets the options of the connections.
func (m *mesh) finish(set settings) error {
	for _, list := range m.conns {
		if err := set.finish(list); err != nil {
			return err
		}
	}
	return nil
}

func (s settings) finish(list []connection) error {
	for _, c := range list {
		err := c.SetDeadline(time.Time{})
		if ip, ok := c.(*net.TCPConn); ok {
			err = errors.Join(err, ip.SetNoDelay(s.nodelay))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// spare is the number of descriptors that a rank needs beside its connections.
const spare = 64

// enough returns an error if this process may not open as many connections at once as the opening
// needs. The Go runtime has raised the limit as far as the system allows.
func (s settings) enough(size, pairs int) error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return nil
	}
	if need := uint64(pairs*s.connections + spare); need > limit.Cur {
		return fmt.Errorf("%d ranks with connect=all need %d file descriptors in each rank, and this one may open %d: raise the limit (ulimit -Hn), or use connect=needed", size, need, limit.Cur)
	}
	return nil
}

func (m *mesh) close() {
	if m.later != nil {
		m.later.close()
	}
	for _, list := range m.conns {
		for _, c := range list {
			if c != nil {
				c.Close()
			}
		}
	}
}
