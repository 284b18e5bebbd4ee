package protocol

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"gobench/device"
)

// core is the common part of a Device and a Raw channel: the wires, the peers, the table of
// requests, and waiting, pushing and closing.
type core struct {
	carriers []*carrier    // one for each wire
	fds      []unix.PollFd // of the last sleep
	slept    bool          // since the last poll
	waiter   Peeker        // polls for any peer; nil if there are several wires, or this one cannot
	settings
	withoutEvents waitPolicy // of waits for memory, which no packet ends
	sink          Sink       // the Device or Raw channel

	// more pushes the packets queued behind the control packets of a peer, and reports whether it
	// pushed some and whether it pushed all. launcher pushes one send.
	more     func(*peer) (some, all bool)
	launcher func(*peer, *request) bool

	rank, size int
	peers      []peer
	requests   table
	pool       pool

	backlog  []*peer     // peers with queued packets
	closing  []*peer     // peers in state closing
	onClosed func(*peer) // called for a peer of closing that is not dead
	onFailed func(*peer) // ends all operations that need a peer
	// error of receives from AnySource: of a peer that died, or of the last one that closed; nil
	// while a message may still arrive. Contexts that are confined (Device.senders) do not use it.
	anyErr    error
	anyLost   bool      // some peer has closed or died
	shortcuts uint      // calls of shortcut
	polls     uint      // calls of progress
	untilSlow int       // polls until the slow wires are polled again
	misses    uint      // calls of Test and Iprobe without a result
	idled     time.Time // last call of Wire.Idle
	meter     waitMeter
	interrupt *atomic.Pointer[error] // the argument of Interrupt, from another goroutine; nil until then
	stopped   error                  // *device.InterruptedError, once this rank has seen it
	clock     func() time.Time
	job       device.Job // may be nil
	closed    bool
	regions   []*region // open
	scratch   [64]byte  // data of control packets
}

// eventPolls is the number of polls before a rank sleeps that sleeps rather than yields.
const eventPolls = 2

// A peer is what this rank knows of another rank, and what it has queued for it. Its state only
// grows (lose, startClosing, Close):
//
//	connected     both sides push and receive.
//	closing       its goodbye has arrived in a rank with bound contexts. Operations go on until
//	              classifyClosing, after the next poll, has looked for ranks that died before.
//	closed        err is set: it ends posted receives from the peer and sends that it has not matched,
//	              and new operations with it. Rendezvous that it has matched, and receives of
//	              messages that it has sent or announced, still complete.
//	disconnected  closed, and its wire has ended; or a stranger, with which no connection was made.
//	failed        its wire has ended without a goodbye, it broke the protocol, or this rank was
//	              interrupted.
//
//	connected --goodbye, contexts are bound--> closing --no rank has died--> closed
//	connected --goodbye---------------------------------------------------> closed
//	closed    --Failed, violation, interrupt--> disconnected
//	connected --Failed, violation, interrupt--> failed
//	closing   --violation, interrupt--> failed
//	connected --Leaver.Leave names it--> disconnected
//
// Failed moves a peer in closing to closed first, because it has said goodbye. In disconnected and
// failed (gone) nothing is pushed to the peer, what arrives from it is dropped, control is empty
// and its wire has severed it.
//
// What is pushed to a peer leaves in this order: control, then sends, then bulk. A packet is pushed
// past these queues only if the peer is not listed (free). Invariants:
//
//	listed     whenever control, sends or bulk holds something, the peer is in core.backlog.
//	sends      they are pushed in the order of their calls, so messages do not overtake each other.
//	           Only the first one may be pushed in part (0 < moved < len(buf)); until it is whole, no
//	           other eager packet is pushed, because fragments name no message.
//	arriving   size is 0, or got < size: the next fragment belongs to its request or its message,
//	           of which one is set (both while a long packet lands for a receive that is too short).
//	flow       0 <= spent - back <= budget, and held <= budget; advertised never passes freed.
//	announced  the requests with part.asking; at most settings.announced. unasked counts the same for
//	           the other direction: the announcements of the peer in core's unexpected messages.
//	err        is nil in connected and closing, and in no later state, but for strangers; the error of
//	           a peer that closed because of another's death names that rank (deadRank).
type peer struct {
	*carrier // of its messages; the first one for this rank itself
	rank     int
	flow     flow

	control packets // small answers, pushed before everything else
	sends   list    // sends not yet (wholly) pushed, in order
	bulk    list    // rendezvous transfers to progress
	listed  bool    // in core.backlog

	arriving arrival
	state    peerState
	err      error  // *device.PeerError of new operations with the peer, from state closed on
	deadRank uint64 // from its goodbye packet: 1 + the dead rank that made it leave; 0 if none
}

// peerState is the state of a peer, in the order in which it can grow. The comment of peer has the
// transitions.
type peerState uint8

const (
	connected peerState = iota
	closing
	closed
	disconnected
	failed
)

// newCore opens the common part over w and the parts of c. It decides how this rank waits, which
// follows from the option wait, the number of ranks on the host and what all wires can do:
//
//	one wire, ranks spin             Peek of the awaited peer, or of any (waiter)
//	one wire that has Sleep.Block    yields, then Block
//	all wires have Sleep.Arm         yields only if there is one wire, then one ppoll for all
//	otherwise                        yields, then sleeps between polls
//
// If it returns an error, all wires are closed.
func newCore(w Wire, c Config) (core, error) {
	carriers, s, err := c.settings(w)
	if err != nil {
		for _, k := range carriers {
			k.wire.Close()
		}
		return core{}, err
	}
	k := core{carriers: carriers, settings: s, rank: c.Rank, size: c.Size, peers: make([]peer, c.Size), clock: time.Now, job: c.Job, interrupt: new(atomic.Pointer[error])}
	if len(carriers) == 1 && carriers[0].limits.PeekTurns > 0 {
		k.waiter = carriers[0].peeker
	}
	// A rank that shares its process must not sleep in the kernel, because the other ranks would
	// not run.
	if !s.policy.shared && len(carriers) == 1 {
		k.policy.block = carriers[0].sleep.Block
	}
	// Ranks of several hosts wait for each other in turn. A yield returns only after all other
	// ranks on the processor have polled their networks, so sleeping takes a third of the time
	// (docs/notes/hosts.md).
	k.policy.wakes = k.policy.block == nil && !s.policy.shared &&
		!slices.ContainsFunc(carriers, func(k *carrier) bool { return k.sleep.Arm == nil || k.limits.Goroutines })
	if k.policy.sleepOnEvents = k.policy.wakes && len(carriers) > 1; k.policy.sleepOnEvents {
		k.policy.polls = min(k.policy.polls, eventPolls)
	}
	k.withoutEvents = k.policy.withoutEvents()
	k.pool.limit = int(s.budget) * unit * max(1, c.Size-1)
	for i := range k.peers {
		k.peers[i].carrier = c.carrierOf(carriers, i)
		k.peers[i].rank = i
		k.peers[i].flow.budget = s.budget
	}
	return k, nil
}

// Rank, Size and Info implement device.Channel. They may be called after Close, too.
func (d *core) Rank() int         { return d.rank }
func (d *core) Size() int         { return d.size }
func (d *core) Info() device.Info { return d.info }

// Registrations implements device.Registrar.
func (d *core) Registrations() (r device.Registrations, ok bool) {
	for _, k := range d.carriers {
		if a, is := k.wire.(Allocator); is {
			n, registers := a.Registrations()
			r.Hits, r.Misses, r.Pinned, ok = r.Hits+n.Hits, r.Misses+n.Misses, r.Pinned+n.Pinned, ok || registers
		}
	}
	return r, ok
}

// push pushes one packet to the wire. Its header carries the current credit.
func (d *core) push(p *peer, h Header, data []byte) bool {
	if !p.wire.Push(p.rank, p.flow.withCredit(h), data) {
		return false
	}
	p.flow.advertised = p.flow.freed
	return true
}

// answer pushes a control packet, or queues it if there is no room.
func (d *core) answer(p *peer, h Header, data []byte) {
	if p.gone() {
		return
	}
	if p.control.empty() && d.push(p, h, data) {
		return
	}
	p.control.add(h, data)
	d.enlist(p)
}

// freed returns units to the peer, and sends a credit packet if one is due.
func (d *core) freed(p *peer, units uint32) {
	if p.rank == d.rank {
		p.flow.back += units
		return
	}
	p.flow.held -= units
	d.passed(p, units)
}

// passed returns units that were never held, because the message was copied directly into its
// receive.
func (d *core) passed(p *peer, units uint32) {
	p.flow.freed += units
	if p.flow.shouldSendCredit() {
		d.sendCredit(p)
	}
}

func (d *core) sendCredit(p *peer) { d.answer(p, header(kindCredit, 0, 0, 0, 0), nil) }

// free reports whether a new message may be pushed now: nothing older is queued, and the peer
// has neither closed nor failed.
func (p *peer) free() bool {
	return !p.listed && p.state < closed
}

// gone reports whether nothing can be pushed to the peer or received from it any more.
func (p *peer) gone() bool { return p.state >= disconnected }

// checkDestination returns the *ArgumentError of a send, or ErrClosed, or nil. Loss of the peer is
// checked later.
func (d *core) checkDestination(dst int, tag int32) error {
	switch {
	case d.closed:
		return device.ErrClosed
	case uint(dst) >= uint(d.size):
		return &device.ArgumentError{Name: "destination", Value: dst, Want: d.ranks()}
	case tag < 0:
		return &device.ArgumentError{Name: "tag", Value: int(tag), Want: "0 or more"}
	}
	return nil
}

// checkSource does the same for a receive or a probe, which may be of AnySource and AnyTag.
func (d *core) checkSource(src int, tag int32) error {
	switch {
	case d.closed:
		return device.ErrClosed
	case src != device.AnySource && uint(src) >= uint(d.size):
		return &device.ArgumentError{Name: "source", Value: src, Want: d.ranks() + " or AnySource"}
	case tag < 0 && tag != device.AnyTag:
		return &device.ArgumentError{Name: "tag", Value: int(tag), Want: "0 or more, or AnyTag"}
	}
	return nil
}

// ranks names the valid ranks, for errors.
func (d *core) ranks() string { return fmt.Sprintf("a rank in 0..%d", d.size-1) }

// packet is a queued control packet.
type packet struct {
	header Header
	length int
	data   [ctsSize]byte
}

// packets is a queue of control packets.
type packets struct {
	queue []packet
	first int
}

// empty and waiting count the packets that are not pushed yet, from first on. Those before are
// pushed, and their memory is used again when the queue runs empty.
func (q *packets) empty() bool  { return q.first == len(q.queue) }
func (q *packets) waiting() int { return len(q.queue) - q.first }

// add appends a packet, whose data it copies. The memory of a queue that has been empty is used
// again.
func (q *packets) add(h Header, data []byte) {
	if q.empty() {
		q.queue, q.first = q.queue[:0], 0
	}
	k := packet{header: h, length: len(data)}
	copy(k.data[:], data)
	q.queue = append(q.queue, k)
}

// enlist adds p to the backlog.
func (d *core) enlist(p *peer) {
	if !p.listed {
		p.listed = true
		d.backlog = append(d.backlog, p)
	}
}

// drain pushes the queued packets of all peers in the backlog, and reports whether it pushed any.
func (d *core) drain() bool {
	moved := false
	for i := 0; i < len(d.backlog); {
		p := d.backlog[i]
		some, all := d.pushControl(p)
		if all {
			var more bool
			more, all = d.more(p)
			some = some || more
		}
		moved = moved || some
		if !all {
			i++
			continue
		}
		p.listed = false
		last := len(d.backlog) - 1
		d.backlog[i] = d.backlog[last]
		d.backlog = d.backlog[:last]
	}
	return moved
}

// pushControl pushes queued control packets, and reports whether it pushed some and whether it
// pushed all.
func (d *core) pushControl(p *peer) (some, all bool) {
	q := &p.control
	for ; !q.empty(); q.first++ {
		k := &q.queue[q.first]
		if !d.push(p, k.header, k.data[:k.length]) {
			return some, false
		}
		some = true
	}
	return some, true
}

// pushSends pushes queued sends, and reports whether it pushed some and whether it pushed all.
func (d *core) pushSends(p *peer) (some, all bool) {
	for p.sends.head != nil {
		r := p.sends.head
		before := r.moved
		p.sends.remove(r)
		if !d.launcher(p, r) {
			p.sends.pushFront(r)
			return some || r.moved != before, false
		}
		some = true
	}
	return some, true
}
