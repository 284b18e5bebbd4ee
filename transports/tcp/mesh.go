package tcp

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

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

// mesh holds the connections of this rank, by rank and index.
type mesh struct {
	conns      [][]*net.TCPConn
	goroutines bool   // this rank and its peers share a process
	way        string // route, for the record
}

// connect connects the pairs of ranks of the job that set.pairs selects: the lower listens, the higher
// connects. It is collective, and returns on all ranks within the deadline.
func connect(outer context.Context, job device.Job, set settings) (*mesh, error) {
	ctx, cancel := context.WithTimeout(outer, set.deadline)
	defer cancel()
	me, size := job.Rank(), job.Size()
	var peers []int
	for rank := range size {
		if set.pairs.Connect(me, rank) {
			peers = append(peers, rank)
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
	var listeners []net.Listener
	if failed == nil && slices.ContainsFunc(peers, func(peer int) bool { return peer > me }) {
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
	sec := (*secret)(endpoints[0].Secret)
	m := &mesh{goroutines: len(peers) > 0}
	for _, peer := range peers {
		m.goroutines = m.goroutines && string(endpoints[peer].Process) == string(process)
	}

	a := newAcceptor(set, me, size, sec, listeners)
	calls := make(chan called)
	dials := 0
	for _, to := range peers {
		if to > me {
			break
		}
		dials += set.connections
		at := targets(endpoints[to], own, set.bind != "")
		for index := range set.connections {
			h := hello{version: version, index: index, connections: set.connections, from: me, to: to}
			go func() {
				c, err := set.dial(ctx, h, at, sec)
				calls <- called{h.to, h.index, c, err}
			}()
		}
	}
	err = nil
	m.conns = make([][]*net.TCPConn, size)
	for range dials {
		k := <-calls
		if k.err != nil && err == nil {
			err = k.err
			cancel() // ends the other dials
		}
		if k.conn != nil {
			if m.conns[k.to] == nil {
				m.conns[k.to] = make([]*net.TCPConn, set.connections)
			}
			m.conns[k.to][k.index] = k.conn
		}
	}
	if err == nil {
		select {
		case <-a.complete:
		case <-ctx.Done():
			rank, cause := a.missing()
			err = &device.PeerError{Rank: rank, Cause: cause}
		}
	}
	for i, list := range a.close() {
		if list != nil {
			m.conns[i] = list
		}
	}
	if err == nil {
		m.way = m.route(me, endpoints, left, set.bind)
		err = m.finish(set)
	} else if outer.Err() != nil {
		err = fmt.Errorf("connecting the ranks: %w", context.Cause(outer))
	}
	if err != nil {
		m.close()
		return nil, err
	}
	return m, nil
}

type called struct {
	to, index int
	conn      *net.TCPConn
	err       error
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
		for _, c := range list {
			if err := errors.Join(c.SetDeadline(time.Time{}), c.SetNoDelay(set.nodelay)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *mesh) close() {
	for _, list := range m.conns {
		for _, c := range list {
			if c != nil {
				c.Close()
			}
		}
	}
}
