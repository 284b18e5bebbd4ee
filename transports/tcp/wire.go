package tcp

import (
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/device/contact"
	"gobench/device/protocol"
)

// packetLimit is the most data of one packet.
const packetLimit = 64 << 10

// wire is the protocol.Wire of every engine. It belongs to one goroutine; the readers of engines
// net and stream are hidden in their links.
type wire struct {
	rank    int
	set     settings
	limits  protocol.Limits
	peers   []*peer // by rank; nil for this rank
	live    []*peer // those not failed, in the order they are served
	dirty   []*conn // connections with something to write
	landing []*peer // with a long packet whose data have no place yet
	regions regions
	scratch []byte // a frame on its way out

	peeks bool    // Peek reads: a read of the engine neither waits nor needs a goroutine
	held  []*peer // with something that Peek has read and Poll has to deliver
	swept uint    // turn of the last sweep

	torn  []*peer              // closed because of a buffer that was withdrawn, to be reported
	ended protocol.Completions // of puts
	turn  uint                 // counts Polls, and the reads of Peek
	ready *readiness           // engine poll with many peers, else nil
	idles uint                 // counts Idles

	severed []int // peers that the protocol has given up; acted on in Poll

	later  *contact.Contacts // connects the others; nil if all are connected
	hint   int               // from of the last Poll with one: after a sleep the protocol polls without
	missed time.Time         // when Idle first found the peer of the hint not connected; zero: it is
}

// peer is another rank. Both of its connections are the same one unless
// connections=2.
type peer struct {
	rank    int
	host    string       // its address
	address string       // with the port of its end
	echo    *atomic.Bool // a new connection to its host is answered; nil: it was not asked for
	in, out *conn
	closed  bool   // the sockets are gone
	cause   string // why it failed; empty while it has not
	lasting uint   // Idles for which its out connection has been lost
	left    bool   // its stream has ended as it should
	held    bool   // it is in wire.held

	saidEnd, sentEnd bool // how far Close is with it
}

// conn is one connection to a peer.
type conn struct {
	wire  *wire
	peer  *peer
	link  link
	in    inbound
	out   outbound
	dirty bool // in wire.dirty
}

// close frees the sockets, once.
func (p *peer) close() {
	if p.closed {
		return
	}
	p.closed = true
	if p.out != nil && p.out.out.lost == "" {
		p.out.out.lost = "its connection is closed"
	}
	if p.in != nil {
		p.in.link.close()
	}
	if p.out != nil && p.out != p.in {
		p.out.link.close()
	}
}

// link is a connected socket as an engine uses it. read and write neither block nor allocate.
type link interface {
	// read receives into a and, if a is full, into b; an engine may ignore b. It returns 0 and nil
	// if there is nothing to read now, and must then be called with the same buffers until it
	// returns something else. It returns io.EOF if the peer has closed.
	read(a, b []byte) (int, error)
	// write writes a, b and c in order, as far as the kernel has room.
	write(a, b, c []byte) (int, error)
	// finish shuts down the sending direction.
	finish() error
	// close frees the socket. No buffer is touched after it has returned.
	close() error
	// option returns a socket option of level SOL_SOCKET.
	option(name int) (int, error)
	congestion() (string, error)
	// descriptor returns the socket's, -1 where there is none.
	descriptor() int
	// silent returns the time for which the kernel has waited for an answer of the peer's host, 0
	// if it waits for none.
	silent(now time.Time) (time.Duration, error)
	// packet returns the size of the longest packet that the kernel has sent without an answer, or
	// would send next, 0 if there is none or it is not known.
	packet() int
}

func (w *wire) Limits() protocol.Limits { return w.limits }

// Push implements protocol.Wire. A goodbye makes no connection, but waits for one that the peer has
// made and join has not seen yet. Close pushes none to strangers, and an interrupt does not wait.
func (w *wire) Push(to int, h protocol.Header, data []byte) bool {
	c := w.peers[to].out
	if c.out.lost != "" {
		return true
	}
	if w.later != nil && h.Last() && w.peers[to].uncalled() {
		return false
	}
	return c.send(frame{framePacket, len(data), h}, data)
}

// PushLong implements protocol.Lander.
func (w *wire) PushLong(to int, h protocol.Header, data []byte, token uint64) protocol.Started {
	c := w.peers[to].out
	if c.out.lost != "" {
		return protocol.Done
	}
	return c.sendLong(frame{frameLong, len(data), h}, data, token)
}

// pending puts c among the connections that Poll writes to.
func (w *wire) pending(c *conn) {
	if !c.dirty {
		c.dirty = true
		w.dirty = append(w.dirty, c)
	}
}

// others is the number of Polls and reads of Peek after which all peers are read, not only that of
// the hint.
const others = 32

// Poll implements protocol.Wire. It writes once to every connection that has something to write,
// and reads once: from the peer of the hint, or from all.
func (w *wire) Poll(from int, sink protocol.Sink) bool {
	if w.later != nil && from >= 0 {
		w.hint = from
	}
	did := w.work(sink, device.AnySource)
	w.turn++
	if from >= 0 && w.turn-w.swept < others && w.peers[from] != nil {
		did = w.receive(w.peers[from], sink) || did
	} else {
		did = w.sweep(sink, device.AnySource) || did
	}
	did = w.settle(sink) || did
	if !did && w.set.engine.yield != nil {
		w.set.engine.yield(w.turn)
	}
	return did
}

// work does what Poll does before it reads, and reports whether anything happened. What Peek has
// read of rank but stays.
func (w *wire) work(sink protocol.Sink, but int) (did bool) {
	if len(w.severed) > 0 {
		w.sever(sink)
	}
	if w.later != nil && w.later.News() {
		w.join(sink)
		did = true
	}
	if len(w.dirty) > 0 {
		did = w.flush() || did
	}
	if len(w.held) > 0 {
		did = w.release(sink, but) || did
	}
	if len(w.landing) > 0 {
		w.land(sink)
		did = true
	}
	return did
}

// flush writes to all dirty connections and removes those that have nothing left from the list.
func (w *wire) flush() bool {
	did, kept := false, w.dirty[:0]
	for _, c := range w.dirty {
		moved, putDone := c.flush()
		did = did || moved
		if c.out.lost != "" || c.out.idle() {
			c.dirty = false
		} else {
			kept = append(kept, c)
		}
		if putDone {
			w.ended.Add(c.out.token, nil)
		}
	}
	w.dirty = kept
	return did
}

// settle reports the puts that have ended and the peers that had to be abandoned, and whether there
// were any.
func (w *wire) settle(sink protocol.Sink) bool {
	if w.ended.Len()+len(w.torn) == 0 {
		return false
	}
	for i := 0; i < len(w.torn); i++ {
		w.fail(w.torn[i], "it was writing into a buffer that has been withdrawn", sink)
	}
	w.torn = w.torn[:0]
	w.ended.Report(sink)
	return true
}

// sweep reads from every peer but one that may have sent something.
func (w *wire) sweep(sink protocol.Sink, but int) bool {
	w.swept = w.turn
	if w.ready != nil {
		return w.ready.sweep(w, sink, but)
	}
	did := false
	for i := 0; i < len(w.live); i++ {
		p := w.live[i]
		did = p.rank != but && w.receive(p, sink) || did
		if i < len(w.live) && w.live[i] != p {
			i-- // p failed and has left the list
		}
	}
	return did
}

// receive reads once from p and delivers complete packets. What follows the header of a long packet
// is read by later Polls: a rank that waits for it has posted its receive by then.
func (w *wire) receive(p *peer, sink protocol.Sink) bool {
	if p.closed || p.left {
		return false
	}
	c := p.in
	if c.in.long.kind != 0 {
		return true
	}
	n, err := c.link.read(c.in.target(&w.regions))
	if n == 0 && err == nil {
		return false
	}
	w.accept(p, n, err, sink)
	return true
}

// accept delivers the n bytes that were read from p, and fails it if err is not nil.
func (w *wire) accept(p *peer, n int, err error, sink protocol.Sink) {
	c := p.in
	if err == nil {
		err = c.in.deliver(n, p.rank, &w.regions, sink)
	}
	if err == nil {
		err = c.in.failed
	}
	if err != nil {
		w.end(p, err, sink)
	} else if c.in.long.kind != 0 {
		w.landing = append(w.landing, p)
	}
}

// land finds the places of the long packets whose headers earlier Polls have read.
func (w *wire) land(sink protocol.Sink) {
	kept := w.landing[:0]
	for _, p := range w.landing {
		if p.closed {
			continue
		}
		if err := p.in.in.land(p.rank, &w.regions, sink); err != nil {
			w.end(p, err, sink)
		} else if p.in.in.long.kind != 0 { // of one behind it
			kept = append(kept, p)
		}
	}
	w.landing = kept
}

// roomDoze is the longest wait while a socket has no room for what is kept to be written to it.
const roomDoze = 100 * time.Microsecond

// Sleep implements protocol.Sleeper.
func (w *wire) Sleep() protocol.Sleep {
	if w.set.engineName != "poll" {
		return protocol.Sleep{}
	}
	return protocol.Sleep{Arm: w.arm, Disarm: func() {}}
}

// arm is protocol.Sleep.Arm, by the sockets of all peers.
func (w *wire) arm(fds []unix.PollFd) ([]unix.PollFd, time.Duration) {
	if len(w.severed)+len(w.torn)+len(w.landing)+w.ended.Len() > 0 {
		return fds, 0
	}
	if w.ready != nil && w.ready.arm() {
		fds = append(fds, unix.PollFd{Fd: int32(w.ready.epoll), Events: unix.POLLIN})
	} else {
		for _, p := range w.live {
			if l, ok := p.in.link.(*pollLink); ok && !p.closed && !p.left {
				fds = append(fds, unix.PollFd{Fd: int32(l.fd), Events: unix.POLLIN})
			}
		}
	}
	if w.later != nil {
		fds = append(fds, unix.PollFd{Fd: int32(w.later.Bell()), Events: unix.POLLIN}) // no event if it is negative
	}
	if len(w.dirty) > 0 {
		return fds, roomDoze
	}
	return fds, -1
}
