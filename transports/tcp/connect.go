package tcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/device/contact"
	"gobench/internal/netif"
	"gobench/internal/remedy"
)

// version changes whenever the format of frames or endpoints does.
const version = uint16(6)

// An endpoint describes a rank to the others before any connection exists.
type endpoint struct {
	Version     uint16
	Connections int
	Addresses   []address // of its host, best first
	Vsock       vsockAddr // with family=vsock
	Process     string    // by device.Process
	Secret      []byte    // of the job; from rank 0 only
}

// mesh holds the connections of this rank.
type mesh struct {
	conns      [][]connection // by rank and index
	goroutines bool           // this rank and its peers share a process
	path       string         // route, for the record
	// later makes the connections that are not made when the device is opened; nil: there are none.
	later *contact.Contacts
}

// early reports whether two ranks are connected when the device is opened: all pairs, or the edges
// of a hypercube, which binomial trees use and recursive doubling. So the network is
// tested, and the first barrier need not connect one pair after the other.
func (s settings) early(a, b int) bool {
	differ := a ^ b
	return !s.lazy || differ&(differ-1) == 0
}

// connect connects the pairs of ranks of the job that set.pairs selects, and that are connected
// early. It is collective, and returns on all ranks within the deadline. If the ranks are on
// several hosts, either all ranks succeed, or none: a rank whose own connections work would
// otherwise see the end of others that could not be connected, and report those as dead.
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

	mine := endpoint{Version: version, Connections: set.connections, Process: device.Process()}
	if me == 0 {
		secret := contact.NewSecret()
		mine.Secret = secret[:]
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
	if set.rails {
		on, number := job.Hosts(), 0
		for _, host := range on[:me] {
			if host == on[me] {
				number++
			}
		}
		own = netif.Turn(own, number)
	}
	for _, c := range own {
		mine.Addresses = append(mine.Addresses, address{Candidate: c})
	}
	if failed == nil {
		failed = set.enough(size, len(early))
	}
	var listeners []net.Listener
	called := func(peer int) bool { return peer > me || !set.early(me, peer) }
	// On one host, a rank to which no other connects listens if bind may be an address that the
	// host lacks: only listening reveals that, and its own connections would fail one after the
	// other until the deadline.
	if failed == nil && (set.bind != "" || !local || slices.ContainsFunc(peers, called)) {
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
			if e, err = all.of(peer); err == nil {
				err = apart(own, e, peer, device.HostName(job, peer))
			}
			m.goroutines = m.goroutines && e.Process == mine.Process
		}
	}
	if all != nil && !local {
		// A rank that has found a reason not to connect stops listening. The others must not take
		// that for a firewall.
		_, err = device.Agree(outer, job, int(version), struct{}{}, err)
	}
	if err != nil {
		closeAll(listeners)
		return nil, err
	}
	m.later = contact.New(set.contacts(job, all, own, contact.Secret(root.Secret)), listeners)
	end, _ := ctx.Deadline()
	err = m.meet(outer, early, time.Until(end))
	if err != nil && outer.Err() != nil {
		err = fmt.Errorf("connecting the ranks: %w", context.Cause(outer))
	}
	if !local {
		_, err = device.Agree(outer, job, int(version), struct{}{}, err)
	}
	for _, p := range m.later.Take() {
		if p.Err == nil {
			m.conns[p.Rank] = connections(p.Conns)
		}
	}
	if err == nil {
		m.path = m.route(me, all, left, set.bind)
		err = m.finish(set)
	}
	if err != nil {
		m.close()
		return nil, err
	}
	if len(early) == len(peers) {
		m.later.Close()
		m.later = nil
	}
	return m, nil
}

// contacts returns the settings of the contacts of a rank.
func (s *settings) contacts(job device.Job, all *endpoints, own []netif.Candidate, secret contact.Secret) contact.Settings {
	var at []string
	for _, a := range all.mine.Addresses {
		if a.Port != 0 {
			at = append(at, a.String())
		}
	}
	return contact.Settings{
		Rank: job.Rank(), Size: job.Size(), Connections: s.connections, Connects: s.pairs.Connect, Secret: secret,
		Targets: func(peer int) ([]contact.Target, error) {
			e, err := all.of(peer)
			return s.targets(e, own), err
		},
		Hosts: job.LocalSize() < job.Size(), Bell: s.lazy, Hello: s.hello,
		Own: at, Host: func(rank int) string { return device.HostName(job, rank) },
		Remedy: fmt.Sprintf("open TCP ports there, and fix them with %v (rank r listens on N + r), or choose another network with %v", remedy.Transport("port", "N"), remedy.Transport("bind", "")),
	}
}

// meet connects this rank with those that are connected early, within d.
func (m *mesh) meet(ctx context.Context, early []int, d time.Duration) error {
	for _, peer := range early {
		m.later.Expect(peer, d)
	}
	for _, peer := range early {
		select {
		case <-m.later.Over(peer):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if err := m.later.Err(peer); err != nil {
			return err
		}
	}
	return nil
}

// apart returns an error if this rank and a peer have no IP version in common.
func apart(own []netif.Candidate, peer endpoint, rank int, host string) error {
	versions := func(is4 bool, list []netif.Candidate) bool {
		return slices.ContainsFunc(list, func(c netif.Candidate) bool { return c.Addr.Is4() == is4 })
	}
	var theirs []netif.Candidate
	for _, a := range peer.Addresses {
		if a.Port != 0 {
			theirs = append(theirs, a.Candidate)
		}
	}
	for _, is4 := range []bool{true, false} {
		if versions(is4, own) == versions(is4, theirs) && versions(is4, own) {
			return nil
		}
	}
	if len(own) == 0 || len(theirs) == 0 {
		return nil // family=vsock, or the rank does not listen
	}
	version := map[bool]int{true: 4, false: 6}
	return &device.PeerError{Rank: rank, Host: host, State: "cannot be reached",
		Cause: fmt.Sprintf("it has addresses of IP version %d only (%v), and this host of version %d only (%v): give both an address of one version, or name their networks with %v", version[theirs[0].Addr.Is4()], theirs[0].Addr, version[own[0].Addr.Is4()], own[0].Addr, remedy.Transport("bind", ""))}
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
			return nil, &device.PeerError{Rank: rank, Host: device.HostName(job, rank), State: "cannot take part", Cause: string(why)}
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
	case rank == 0 && len(e.Secret) != contact.SecretSize:
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

// enough returns an error if this process may not open as many connections together as the opening
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
		m.later.Close()
	}
	for _, list := range m.conns {
		for _, c := range list {
			if c != nil {
				c.Close()
			}
		}
	}
}
