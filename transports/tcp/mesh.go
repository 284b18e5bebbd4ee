package tcp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"time"

	"gobench/device"
)

// card is what a rank tells the others before any connection exists.
type card struct {
	Version     uint16
	Connections int
	Addresses   []string // where it listens, best first
	Process     []byte   // the same for ranks that share a process
	Secret      []byte   // of the job; from rank 0 only
	Trouble     string   // why it cannot take part
}

// process tells ranks of this process from those of others.
var process = func() []byte {
	b := make([]byte, 16)
	rand.Read(b)
	return b
}()

// mesh is the connections of this rank, by rank and index.
type mesh struct {
	conns      [][]*net.TCPConn
	goroutines bool // all ranks share a process
}

// connect connects every pair of ranks of the job: the lower listens, the
// higher connects. It is collective, and ends for all ranks in error or success
// within the deadline.
func connect(outer context.Context, job device.Job, set settings) (*mesh, error) {
	ctx, cancel := context.WithTimeout(outer, set.deadline)
	defer cancel()
	me, size := job.Rank(), job.Size()

	mine := card{Version: version, Connections: set.connections, Process: process}
	if me == 0 {
		mine.Secret = make([]byte, secretSize)
		rand.Read(mine.Secret)
	}
	local := job.LocalSize() == size
	addresses, trouble := listenAddresses(set.bind, set.family, local)
	var listeners []net.Listener
	if trouble == nil && me < size-1 {
		listeners, trouble = set.listen(ctx, me, addresses, local && set.bind == "")
		for _, l := range listeners {
			mine.Addresses = append(mine.Addresses, l.Addr().String())
		}
	}
	if trouble != nil {
		mine.Trouble = trouble.Error()
	}
	cards, err := exchange(ctx, job, mine)
	if trouble != nil {
		err = trouble
	}
	if err != nil {
		closeAll(listeners)
		return nil, err
	}
	sec := (*secret)(cards[0].Secret)
	m := &mesh{goroutines: size > 1}
	for _, c := range cards {
		m.goroutines = m.goroutines && string(c.Process) == string(process)
	}

	d := openDoor(set, me, size, sec, listeners)
	if set.bind == "" {
		addresses = nil
	}
	calls := make(chan called)
	for to := range me {
		for index := range set.connections {
			h := hello{version: version, index: index, connections: set.connections, from: me, to: to}
			go func() {
				c, err := set.dial(ctx, h, cards[to].Addresses, addresses, sec)
				calls <- called{h.to, h.index, c, err}
			}()
		}
	}
	err = nil
	m.conns = make([][]*net.TCPConn, size)
	for range me * set.connections {
		k := <-calls
		if k.err != nil && err == nil {
			err = k.err
			cancel() // the other calls end at once
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
		case <-d.full:
		case <-ctx.Done():
			rank, cause := d.absent()
			err = &device.PeerError{Rank: rank, Cause: cause}
		}
	}
	for i, list := range d.close() {
		if list != nil {
			m.conns[i] = list
		}
	}
	if err == nil {
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

// exchange deals out the cards and checks that they fit together.
func exchange(ctx context.Context, job device.Job, mine card) ([]card, error) {
	blob, err := json.Marshal(mine)
	if err != nil {
		return nil, err
	}
	blobs, err := job.Exchange(ctx, blob)
	if err != nil {
		return nil, fmt.Errorf("telling the other ranks where to connect: %w", err)
	}
	cards := make([]card, job.Size())
	for rank := range cards {
		c := &cards[rank]
		if err := json.Unmarshal(blobs[rank], c); err != nil {
			return nil, &device.ProtocolError{Rank: rank, Detail: "its address card cannot be read: " + err.Error()}
		}
		switch {
		case c.Trouble != "":
			return nil, &device.PeerError{Rank: rank, Cause: c.Trouble}
		case c.Version != mine.Version:
			return nil, &device.ProtocolError{Rank: rank, Detail: fmt.Sprintf("it speaks version %d of the protocol, this is version %d", c.Version, mine.Version)}
		case c.Connections != mine.Connections:
			return nil, &device.ProtocolError{Rank: rank, Detail: fmt.Sprintf("it was started with connections=%d, this rank with %d", c.Connections, mine.Connections)}
		case rank == 0 && len(c.Secret) != secretSize:
			return nil, &device.ProtocolError{Rank: rank, Detail: "it gave no secret for the job"}
		}
	}
	return cards, nil
}

// finish sets what is the same for connections made and accepted.
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
