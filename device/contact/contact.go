package contact

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"gobench/device"
)

const (
	// OpenDeadline is the time within which all ranks that are connected when a transport is opened
	// must be connected.
	OpenDeadline = 30 * time.Second
	// HelloDeadline is the time-out of one handshake.
	HelloDeadline = 3 * time.Second
)

// Crowd returns the factor of the deadlines if ranks outnumber cores: each step of a handshake
// waits until its rank is scheduled, and with hundreds of ranks on a core, with time slices of
// about 3 ms, a handshake took longer than HelloDeadline.
func Crowd(ranks, cores int) time.Duration {
	const crowd = 16 // on a core
	return time.Duration(max(1, ranks/(crowd*cores)))
}

// Settings describe a rank and how it connects.
type Settings struct {
	Rank, Size  int
	Connections int                 // of each pair, 1 to 255
	Connects    func(a, b int) bool // selects pairs
	Secret      Secret              // of the job
	// Targets returns the addresses of a rank, the likeliest first.
	Targets func(rank int) ([]Target, error)
	Hosts   bool          // the ranks are on several hosts, and all of them listen
	Bell    bool          // Bell is wanted
	Hello   time.Duration // deadline of one handshake

	Own    []string              // addresses at which this rank listens, for messages
	Host   func(rank int) string // name of a rank's host, "" = all are on one host
	Remedy string                // what to do about hosts that cannot reach each other
}

// A Target is an address of a peer.
type Target interface {
	String() string
	// Dial connects to it, for a bounded time.
	Dial(ctx context.Context) (net.Conn, error)
	// Final returns a reason if an error of Dial will not pass, else "".
	Final(err error) string
}

// Contacts holds the pairs of this rank and other ranks that are being connected.
type Contacts struct {
	set      Settings
	acceptor *acceptor
	stop     context.CancelFunc
	ctx      context.Context // ends all calls
	news     atomic.Bool     // ready is not empty
	bell     int             // an eventfd that is readable then, -1 if there is none

	mu      sync.Mutex
	of      []*contact // by rank; nil for one that is not to be connected with this one
	ready   []*contact // over, and not yet taken
	leaving bool
	calls   sync.WaitGroup
}

// A contact is the state of one pair, under the lock of Contacts. It is in one of these states:
//
//	idle       not awaited, no connection. Only calls of the other rank are accepted.
//	expected   awaited, not calling: the other rank calls, or this rank does after a pause.
//	calling    this rank dials, and still accepts calls of the other one.
//	partial    0 < count < len(conns): some connections are there; calling stays as it was.
//	over       the channel over is closed. err is nil: every conns is set; or conns are closed and
//	           nil and err tells why. It is in ready until Take.
//
//	idle --Call, or Expect of the lower rank--> calling
//	idle --Expect of the higher rank--> expected --its pause is over--> calling
//	any --a connection is added--> partial, or over with the last one
//	any --deadline, no address left, GiveUp, Close--> over, with err
//
// Both ranks may dial the same connection. Who is the listener of a handshake decides, in commit
// and under its lock, and the caller obeys the status that it is sent:
//
//	wrongRank    this rank does not connect with the caller
//	hasLeft      the contact has failed, or this rank leaves and has neither called nor connected
//	notExpected  the connection is there: the caller gives up and waits for the other connections
//	hasCalled    a handshake of this rank's own call is under way (greets) and this rank is the
//	             higher one, whose call wins: the caller tries again, in case that call fails
//	welcome      the connection is added here, and at the caller when it reads the status
//
// Invariants: count is the number of conns that are set, conns[i] is set once, and a connection
// that is not needed is closed (add); over is closed once, by the call that makes the last
// connection or sets err; an awaited contact is over within its deadline; once leaving is set, a
// contact without connection and call gets none, so both ranks know that nothing was sent between
// them.
type contact struct {
	rank    int
	conns   []net.Conn // by index
	greets  []bool     // by index: a handshake of a call is under way
	count   int        // of the connections that are there
	calling bool       // this rank has called
	awaited bool       // it is over within a bounded time
	tried   []*trial   // addresses that were called
	over    chan struct{}
	err     error // of over; a *device.PeerError
}

// A Pair is the end of a contact. Its connections belong to the caller of Take.
type Pair struct {
	Rank  int
	Conns []net.Conn // by index; nil with an error
	Err   error      // a *device.PeerError, or the error of Targets
}

// New accepts connections from listeners, which it owns, and makes those of Call and Expect.
func New(set Settings, listeners []net.Listener) *Contacts {
	k := &Contacts{set: set, of: make([]*contact, set.Size)}
	k.ctx, k.stop = context.WithCancel(context.Background())
	if k.bell = -1; set.Bell {
		if fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err == nil {
			k.bell = fd
		}
	}
	for other := range set.Size {
		if other != set.Rank && set.Connects(set.Rank, other) {
			k.of[other] = &contact{rank: other, conns: make([]net.Conn, set.Connections), greets: make([]bool, set.Connections), over: make(chan struct{})}
		}
	}
	k.acceptor = newAcceptor(k, listeners)
	return k
}

// Wants reports whether a rank is one of those to be connected.
func (k *Contacts) Wants(rank int) bool { return k.of[rank] != nil }

// Over is closed when the contact to a rank has ended.
func (k *Contacts) Over(rank int) <-chan struct{} { return k.of[rank].over }

// Err returns why the contact to a rank has failed, after Over.
func (k *Contacts) Err(rank int) error { return k.of[rank].err }

// Bell returns a descriptor that is readable while Take has something to return, -1 if there is
// none.
func (k *Contacts) Bell() int { return k.bell }

// News reports whether Take has something to return.
func (k *Contacts) News() bool { return k.news.Load() }

// Call connects to a rank, unless it is connected or being connected. The contact is over within d.
// It fails immediately if no address can ever be reached.
func (k *Contacts) Call(rank int, d time.Duration) { k.call(rank, 0, 0, d) }

const (
	// otherCalls is the part of the deadline after which a rank that expects a call makes one
	// itself: 1.5 s of OpenDeadline.
	otherCalls = 20
	// otherTries is the part that a rank whose calls are refused leaves to the other one.
	otherTries = 5
)

// Expect connects a pair whose other rank does the same: the higher rank calls, and between hosts
// after a while the lower does, too, because the network may carry connections in one direction
// only.
func (k *Contacts) Expect(rank int, d time.Duration) {
	after, others := time.Duration(0), time.Duration(0)
	if k.set.Hosts {
		others = d / otherTries
	}
	if rank > k.set.Rank {
		if after = d; k.set.Hosts {
			after = d / otherCalls
		}
	}
	k.call(rank, after, others, d)
}

// call connects to a rank after a pause. If no address of it can be reached, it gives the other
// rank a time to call.
func (k *Contacts) call(rank int, after, others, d time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	c := k.of[rank]
	if c.awaited || c.isOver() {
		return
	}
	c.awaited = true
	c.calling = after == 0 && c.count == 0 // else the other rank calls
	k.calls.Go(func() {
		ctx, cancel := context.WithTimeout(k.ctx, d)
		defer cancel()
		go func() { // a connection of the other rank ends the calls
			select {
			case <-c.over:
				cancel()
			case <-ctx.Done():
			}
		}()
		if after > 0 {
			select {
			case <-c.over:
				return
			case <-ctx.Done():
			case <-time.After(after):
				k.mu.Lock()
				c.calling = c.count == 0 && after < d
				k.mu.Unlock()
			}
		}
		wait := (<-chan time.Time)(nil)
		if c.calling {
			switch err := k.dial(ctx, c); {
			case err == errNoAddress && others > 0:
				wait = time.After(others)
			case err == errNoAddress:
				k.fail(c, k.unreachable(c, d))
				return
			case err != nil: // the other rank will not call either
				k.fail(c, err)
				return
			}
		}
		select { // the other rank is connecting
		case <-c.over:
			return
		case <-wait:
		case <-ctx.Done():
		}
		k.fail(c, k.unreachable(c, d))
	})
}

// dial makes all connections of a contact. It also returns nil if the other rank makes them, and
// errNoAddress if no address is left to call.
func (k *Contacts) dial(ctx context.Context, c *contact) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	at, err := k.set.Targets(c.rank)
	if err != nil {
		return err
	}
	k.mu.Lock()
	for _, t := range at {
		c.tried = append(c.tried, &trial{target: t})
	}
	k.mu.Unlock()
	errs := make(chan error, k.set.Connections)
	for index := range k.set.Connections {
		go func() { errs <- k.dialUntil(ctx, c, index) }()
	}
	var first error
	for range k.set.Connections {
		if err := <-errs; err != nil && first == nil {
			first = err
			cancel()
		}
	}
	return first
}

// begin reports whether a call may begin its handshake: not if the other rank has connected.
func (k *Contacts) begin(c *contact, index int) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if c.isOver() || c.conns[index] != nil {
		return false
	}
	c.greets[index] = true
	return true
}

// greeted ends the handshake of a call, with its connection if it has succeeded.
func (k *Contacts) greeted(c *contact, index int, conn net.Conn) {
	k.mu.Lock()
	defer k.mu.Unlock()
	c.greets[index] = false
	if conn != nil {
		k.add(c, index, conn)
	}
}

// commit decides whether to accept a connection whose caller has authenticated as h.from, and sends
// the decision. The answer fits into the empty send buffer of a new connection, so writing it under
// the lock cannot block.
func (k *Contacts) commit(h hello, conn net.Conn) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	v := welcome
	switch c := k.of[h.from]; {
	case c == nil:
		v = wrongRank
	case c.isOver() && c.err != nil, k.leaving && c.count == 0 && !c.calling:
		v = hasLeft
	case c.conns[h.index] != nil:
		v = notExpected
	case c.greets[h.index] && k.set.Rank > h.from:
		v = hasCalled
	}
	if _, err := conn.Write([]byte{byte(v)}); err != nil {
		return errGone
	}
	if v != welcome {
		return presented(v)
	}
	k.add(k.of[h.from], h.index, conn)
	return nil
}

// add adds a connection, with the lock held. It closes the connection if it is not needed any more.
func (k *Contacts) add(c *contact, index int, conn net.Conn) {
	if c.isOver() || c.conns[index] != nil {
		conn.Close()
		return
	}
	c.conns[index] = conn
	if c.count++; c.count == len(c.conns) {
		k.end(c)
	}
}

func (k *Contacts) fail(c *contact, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if c.isOver() {
		return
	}
	for i, conn := range c.conns {
		if conn != nil {
			conn.Close()
			c.conns[i] = nil
		}
	}
	c.err = err
	k.end(c)
}

// end ends a contact with the lock held.
func (k *Contacts) end(c *contact) {
	close(c.over)
	k.ready = append(k.ready, c)
	k.news.Store(true)
	unix.Write(k.bell, ring[:])
}

// ring is added to the counter of an eventfd.
var ring = [8]byte{1}

func (c *contact) isOver() bool {
	select {
	case <-c.over:
		return true
	default:
		return false
	}
}

// Take returns the contacts that have ended since the last call.
func (k *Contacts) Take() []Pair {
	k.mu.Lock()
	defer k.mu.Unlock()
	var list []Pair
	for _, c := range k.ready {
		p := Pair{Rank: c.rank, Err: c.err}
		if c.err == nil {
			p.Conns = c.conns
		}
		list = append(list, p)
	}
	k.ready = nil
	k.news.Store(false)
	var counter [8]byte
	unix.Read(k.bell, counter[:])
	return list
}

// GiveUp ends the contact to a rank that must not be connected any more.
func (k *Contacts) GiveUp(rank int) {
	k.fail(k.of[rank], &device.PeerError{Rank: rank, Cause: "it was given up"})
}

// Leave refuses later calls of all ranks that are neither connected nor being connected, and
// returns these ranks.
func (k *Contacts) Leave() (strangers []int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.leaving = true
	for rank, c := range k.of {
		if c != nil && c.count == 0 && !c.calling && !c.isOver() {
			strangers = append(strangers, rank)
		}
	}
	return strangers
}

// Close stops listening, ends the calls in progress, and closes the connections that were not
// taken.
func (k *Contacts) Close() {
	k.acceptor.close()
	k.stop()
	k.calls.Wait()
	for _, c := range k.of {
		if c != nil {
			k.fail(c, context.Canceled)
		}
	}
	list := k.Take()
	k.mu.Lock()
	unix.Close(k.bell)
	k.bell = -1
	k.mu.Unlock()
	for _, p := range list {
		for _, conn := range p.Conns {
			conn.Close()
		}
	}
}
