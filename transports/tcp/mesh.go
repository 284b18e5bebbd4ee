package tcp

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"gobench/device"
)

// An endpoint describes a rank to the others before any connection exists.
type endpoint struct {
	Version     uint16
	Connections int
	Addresses   []address // of its host, best first
	Process     []byte    // the same for ranks that share a process
	Secret      []byte    // of the job; from rank 0 only
	Error       string    // why it cannot take part
}

// process identifies this process in endpoints.
var process = func() []byte {
	b := make([]byte, 16)
	rand.Read(b)
	return b
}()

// mesh holds the connections of this rank.
type mesh struct {
	conns      [][]*net.TCPConn // by rank and index
	goroutines bool             // this rank and its peers share a process
	way        string           // route, for the record
	later      *later           // nil: no pair is connected later
}

// later makes those connections of a rank that are not made when the device is opened.
type later struct {
	*contacts
	acceptor *acceptor
}

func (l *later) close() {
	l.acceptor.close()
	l.contacts.close()
}

// early reports whether two ranks are connected when the device is opened: all pairs, or a binomial
// tree, by which the network is tried and whose pairs collective operations need anyway.
func (s settings) early(a, b int) bool {
	low, high := min(a, b), max(a, b)
	return !s.lazy || high&(high-1) == low
}

// connect connects the pairs of ranks of the job that set.pairs selects, and that are connected early:
// the lower listens, the higher connects. It is collective, and returns on all ranks within the deadline.
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
	own, left, failed := ownAddresses(set.bind, set.family, local)
	for _, c := range own {
		mine.Addresses = append(mine.Addresses, address{Candidate: c})
	}
	if failed == nil {
		failed = set.enough(size, len(early))
	}
	var listeners []net.Listener
	called := func(peer int) bool { return peer > me || !set.early(me, peer) }
	if failed == nil && slices.ContainsFunc(peers, called) {
		listeners, failed = set.listen(ctx, me, mine.Addresses, local && set.bind == "")
	}
	if failed != nil {
		mine.Error = failed.Error()
	}
	endpoints, err := exchangeEndpoints(ctx, job, mine)
	if failed != nil {
		err = failed
	}
	if err != nil {
		closeAll(listeners)
		return nil, err
	}
	m := &mesh{goroutines: len(peers) > 0, conns: make([][]*net.TCPConn, size)}
	for _, peer := range peers {
		m.goroutines = m.goroutines && string(endpoints[peer].Process) == string(process)
	}
	k := newContacts(set, me, size, (*secret)(endpoints[0].Secret), func(peer int) []target {
		return targets(endpoints[peer], own, set.bind != "")
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
		m.way = m.route(me, endpoints, left, set.bind)
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

// exchangeEndpoints gives every rank the endpoints of all ranks and checks that they are compatible.
func exchangeEndpoints(ctx context.Context, job device.Job, mine endpoint) ([]endpoint, error) {
	endpoints, err := device.Exchange(ctx, job, mine)
	if err != nil {
		return nil, fmt.Errorf("exchanging the addresses of all ranks: %w", err)
	}
	for rank, c := range endpoints {
		switch {
		case c.Error != "":
			return nil, &device.PeerError{Rank: rank, Cause: c.Error}
		case c.Version != mine.Version:
			return nil, &device.ProtocolError{Rank: rank, Detail: fmt.Sprintf("it speaks version %d of the protocol, this is version %d", c.Version, mine.Version)}
		case c.Connections != mine.Connections:
			return nil, &device.ProtocolError{Rank: rank, Detail: fmt.Sprintf("it was started with connections=%d, this rank with %d", c.Connections, mine.Connections)}
		case rank == 0 && len(c.Secret) != secretSize:
			return nil, &device.ProtocolError{Rank: rank, Detail: "it gave no secret for the job"}
		}
	}
	return endpoints, nil
}

// finish sets the options of connections that were made or accepted.
func (m *mesh) finish(set settings) error {
	for _, list := range m.conns {
		if err := set.finish(list); err != nil {
			return err
		}
	}
	return nil
}

func (s settings) finish(list []*net.TCPConn) error {
	for _, c := range list {
		if err := errors.Join(c.SetDeadline(time.Time{}), c.SetNoDelay(s.nodelay)); err != nil {
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
