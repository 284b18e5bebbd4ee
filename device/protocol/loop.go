package protocol

import (
	"encoding/binary"
	"fmt"
	"time"

	"gobench/device"
)

// A Looper is an RMA that can run the loop of a benchmark, for a Raw channel. It runs one Loop at a
// time. The last byte of its puts must be the last to be written.
type Looper interface {
	RMA
	// Native reports whether loops run outside of Go. Only then may a Loop be of LoopSend.
	Native() bool
	// Offers is device.Linker.Offers.
	Offers(op device.LinkOperation) error
	// Begin starts loop l with peer. The wire accesses l until the loop is done, or until the next
	// Begin.
	Begin(peer int, l *Loop)
	// Continue runs the loop for a bounded number of steps. It returns early when another event
	// arrives, which the next Poll delivers, or when it has been idle for a while. It reports
	// whether the loop has advanced and whether it is done. A loop with a failed peer is never
	// done.
	Continue() (advanced, done bool)
}

// A Loop describes rounds of one operation with a peer: ping-pongs of messages or of puts, one-way
// puts, gets, or atomic operations.
type Loop struct {
	Kind    LoopKind
	Left    int  // rounds still to be done, half rounds of a ping-pong; Continue decrements it
	Each    int  // requests of a round, except in ping-pongs
	Sending bool // in a ping-pong: this rank sends next
	Out, In []byte
	Stamps  *device.Stamps // counts the rounds; may be nil

	Mine   Key    // key of Out, for puts and gets
	Theirs Key    // key of the peer's In
	Number uint64 // LoopPutPong: last byte of the first round's put

	// Operand is the value that LoopFetchAdd adds, or that the first LoopCompareSwap expects; each
	// further one expects one more.
	Operand uint64

	Header Header // LoopSend: header of the next packet; its W1 grows by Credit with each packet received
	Credit uint64
	Heard  uint64 // W1 of the last packet received; Continue sets it
}

// LoopKind is the operation of a Loop.
type LoopKind uint8

// The kinds of a Loop.
const (
	LoopSend    LoopKind = iota // a ping-pong of packets
	LoopPutPong                 // a ping-pong of puts
	LoopPut
	LoopGet
	LoopFetchAdd    // of 8 bytes
	LoopCompareSwap // of 8 bytes, one request at a time
)

// linker is a Raw channel whose wire is a Looper.
type linker struct {
	*Raw
	looper Looper
	loop   Loop // under way
}

var _ device.Linker = (*linker)(nil)

// Linking returns a device.Linker over d, whose wire is l.
func Linking(d *Raw, l Looper) device.Channel { return &linker{Raw: d, looper: l} }

// Native implements device.Linker.
func (d *linker) Native() bool { return d.looper.Native() }

// Offers implements device.Linker.
func (d *linker) Offers(op device.LinkOperation) error { return d.looper.Offers(op) }

// PingPong implements device.Linker. Messages that the wire's loop cannot exchange use Send and
// Recv: those of several packets, and those exchanged while others are outstanding.
func (d *linker) PingPong(out, in []byte, peer, k int, first bool, stamps *device.Stamps) error {
	const tag, context = 0, 0
	left, sending := 2*k, first
	for left > 0 {
		if d.loopable(out, in, peer) {
			done := d.exchange(out, in, peer, left, sending, stamps)
			if left, sending = left-done, sending != (done&1 == 1); done > 0 {
				continue
			}
		}
		var err error
		if sending {
			err = d.Send(out, peer, tag, context)
		} else {
			_, err = d.Recv(in, peer, tag, context)
		}
		if err != nil {
			return err
		}
		if left, sending = left-1, !sending; left&1 == 0 {
			stamps.Round()
		}
	}
	return nil
}

// loopable reports whether nothing else is outstanding with a peer.
func (d *linker) loopable(out, in []byte, peer int) bool {
	if d.closed || !d.looper.Native() || uint(peer) >= uint(d.size) || peer == d.rank || len(out) != len(in) || len(out) == 0 || len(out) > d.peers[peer].fragment {
		return false
	}
	p := &d.peers[peer]
	return p.peeker != nil && p.free() && d.idle(peer) && p.flow.room(cost(len(out)))
}

// A loop of the wire exchanges whole eager packets without calling Push and Packet, so exchange
// does their accounting afterwards: each packet sent has spent units, each one received has freed
// as many and was acknowledged by the credit that grows with the loop's header. The last packet
// received has not been advertised if the loop ended with it.
//
// exchange runs the wire's loop once, accounts for the packets that it has sent and received, and
// returns their number. It then serves other peers and checks for dead ones.
func (d *linker) exchange(out, in []byte, peer, left int, sending bool, stamps *device.Stamps) int {
	p := &d.peers[peer]
	units := cost(len(out))
	h := p.flow.withCredit(header(kindEager, 0, 0, 0, uint64(len(out))))
	d.loop = Loop{Kind: LoopSend, Left: left, Sending: sending, Out: out, In: in, Stamps: stamps, Header: h, Credit: uint64(units) << 32}
	d.looper.Begin(peer, &d.loop)
	d.looper.Continue()
	done := left - d.loop.Left
	sent := done / 2
	if sending {
		sent = (done + 1) / 2
	}
	received := done - sent
	p.flow.spent += uint32(sent) * units
	p.flow.freed += uint32(received) * units
	if sent > 0 {
		p.flow.advertised = p.flow.freed
		if sending != (done&1 == 1) { // the last half was a receive, for which Packet was not called
			p.flow.advertised -= units
		}
	}
	if received > 0 && !p.flow.onCredit(uint32(d.loop.Heard>>32)) {
		d.Failed(peer, "it broke the protocol: a credit for what was never sent")
	}
	if done > 0 {
		d.serve(peer)
		d.alive(time.Now(), peer)
	}
	return done
}

// link is a device.Link.
type link struct {
	d        *linker
	peer     int
	out, in  []byte
	mine     Key // of out
	shown    Key // of in
	theirs   Key // of the peer's in
	putPongs uint64
}

// linkTag is the tag of the exchange of keys; at level raw the order of messages alone tells them
// apart.
const linkTag = 0

// Link implements device.Linker. The ranks exchange keys by messages.
func (d *linker) Link(peer int, out, in []byte) (device.Link, error) {
	if err := d.checkDestination(peer, linkTag); err != nil {
		return nil, err
	}
	if peer == d.rank || len(out) == 0 || len(out) != len(in) {
		return nil, &device.ArgumentError{Name: "link", Value: peer, Want: "another rank, and buffers of one length, not empty"}
	}
	if limit := d.peers[peer].limits.Move; limit > 0 && len(out) > limit {
		return nil, &device.ArgumentError{Name: "length of the buffers to link", Value: len(out), Want: fmt.Sprintf("at most %d bytes, which is the longest put or get of the wire", limit)}
	}
	k := &link{d: d, peer: peer, out: out, in: in}
	var failed error
	if k.mine, failed = d.looper.Register(out); failed == nil {
		if k.shown, failed = d.looper.Register(in); failed != nil {
			d.looper.Deregister(k.mine)
		}
	}
	// A rank that cannot register its buffers sends a length of 0, because the other rank waits for
	// its key.
	var own, other [8 * (len(Key{}) + 1)]byte
	if failed == nil {
		binary.LittleEndian.PutUint64(own[:], uint64(len(in)))
	}
	for i, word := range k.shown {
		binary.LittleEndian.PutUint64(own[8*(i+1):], word)
	}
	q, err := d.Isend(own[:], peer, linkTag, 0)
	if err == nil {
		if _, err = d.Recv(other[:], peer, linkTag, 0); err == nil {
			_, err = d.Wait(q)
		}
	}
	if size := binary.LittleEndian.Uint64(other[:]); failed == nil && err == nil && size != uint64(len(out)) {
		err = fmt.Errorf("linking memory with rank %d: it has %d bytes for %d", peer, size, len(out))
	}
	if failed != nil {
		return nil, fmt.Errorf("linking memory with rank %d: %w", peer, failed)
	}
	if err != nil {
		k.Close()
		return nil, err
	}
	for i := range k.theirs {
		k.theirs[i] = binary.LittleEndian.Uint64(other[8*(i+1):])
	}
	return k, nil
}

// Put implements device.Link, as do the next four.
func (k *link) Put(rounds, each int, stamps *device.Stamps) error {
	return k.run(Loop{Kind: LoopPut, Left: rounds, Each: each, Stamps: stamps})
}

func (k *link) Get(rounds, each int, stamps *device.Stamps) error {
	return k.run(Loop{Kind: LoopGet, Left: rounds, Each: each, Stamps: stamps})
}

func (k *link) FetchAdd(rounds, each int, stamps *device.Stamps) error {
	return k.atomic(Loop{Kind: LoopFetchAdd, Left: rounds, Each: each, Operand: 1, Stamps: stamps})
}

func (k *link) CompareSwap(rounds, each int, from uint64, stamps *device.Stamps) error {
	return k.atomic(Loop{Kind: LoopCompareSwap, Left: rounds, Each: each, Operand: from, Stamps: stamps})
}

// atomic runs a loop of operations on 8 bytes, the only size that networks have.
func (k *link) atomic(l Loop) error {
	if len(k.out) != 8 {
		return &device.ArgumentError{Name: "length of the buffers of an atomic operation", Value: len(k.out), Want: "8 bytes"}
	}
	return k.run(l)
}

// PutPong numbers the last bytes of its puts from the last call on, so that no put of an earlier
// round is taken for one of this.
func (k *link) PutPong(rounds int, first bool, stamps *device.Stamps) error {
	l := Loop{Kind: LoopPutPong, Left: 2 * rounds, Sending: first, Number: k.putPongs + 1, Stamps: stamps}
	k.putPongs += uint64(rounds)
	return k.run(l)
}

// run runs a loop to its end. Whenever the wire returns, it serves other peers and checks for dead
// ones.
func (k *link) run(l Loop) error {
	d := k.d
	if d.closed {
		return device.ErrClosed
	}
	l.Out, l.In, l.Mine, l.Theirs = k.out, k.in, k.mine, k.theirs
	d.loop = l
	p := &d.peers[k.peer]
	d.looper.Begin(k.peer, &d.loop)
	for w := (device.WaitState{}); ; {
		advanced, done := d.looper.Continue()
		if done {
			return nil
		}
		if p.err != nil {
			return p.err
		}
		// Continue has polled thousands of times without progress, so the clock is read now:
		// counting calls first, as shortcut does, would delay the detection of a dead peer.
		d.alive(time.Now(), k.peer)
		if advanced {
			w = device.WaitState{}
			d.progress(device.AnySource)
		} else {
			d.step(&d.policy, &w, k.peer, k.peer)
		}
	}
}

// Close implements device.Link.
func (k *link) Close() {
	if k.d.closed {
		return
	}
	k.d.looper.Deregister(k.mine)
	k.d.looper.Deregister(k.shown)
}

// A round posts each of its requests as soon as there is room and ends when all have completed, so
// at most Each are outstanding. Completed counts them; errors lose the peer, and run returns its
// error.
//
// steps implements Looper over an RMA wire that has no loops of its own: each put or get is one
// call of the wire and completes by a call of Completed.
type steps struct {
	RMA
	peer          int
	loop          *Loop
	posted, ended int // of the round
}

// stepper is a linker over steps, and the sink of its wire.
type stepper struct {
	linker
	steps *steps
}

// Stepping returns a device.Linker over d that uses the puts and gets of its wire w.
func Stepping(d *Raw, w RMA) device.Channel {
	s := &steps{RMA: w}
	c := &stepper{linker{Raw: d, looper: s}, s}
	d.sink = c
	return c
}

// Completed handles the completion of a put or get (Sink). If it has failed, its peer is lost.
func (c *stepper) Completed(_ uint64, err error) {
	if err != nil {
		c.Failed(c.steps.peer, err.Error())
		return
	}
	c.steps.ended++
}

// Native implements Looper.
func (s *steps) Native() bool { return false }

// Offers implements Looper.
func (s *steps) Offers(op device.LinkOperation) error {
	switch op {
	case device.LinkPut, device.LinkGet:
		return nil
	case device.LinkPutPong:
		return fmt.Errorf("%v needs a network that writes the last byte of a put last, which this one does not promise", op)
	}
	return fmt.Errorf("its wire has puts and gets, not %v", op)
}

// Begin implements Looper.
func (s *steps) Begin(peer int, l *Loop) { s.peer, s.loop, s.posted, s.ended = peer, l, 0, 0 }

// Between two calls of Continue the protocol polls, so that completions are reported and other
// peers are served.
//
// stepsAtOnce is the number of puts or gets after which a loop returns, so that other peers are
// served.
const stepsAtOnce = 1 << 8

// Continue implements Looper.
func (s *steps) Continue() (advanced, done bool) {
	l := s.loop
	for range stepsAtOnce {
		switch {
		case l.Left == 0:
			return advanced, true
		case s.posted < l.Each:
			started := Busy
			if l.Kind == LoopGet {
				started = s.Get(s.peer, l.Theirs, 0, l.Out, l.Mine, 0)
			} else {
				started = s.Put(s.peer, l.Theirs, 0, l.Out, l.Mine, 0)
			}
			if started == Busy {
				return advanced, false
			}
			if s.posted++; started == Done {
				s.ended++
			}
		case s.ended < s.posted:
			return advanced, false
		default:
			l.Left--
			s.posted, s.ended = 0, 0
			l.Stamps.Round()
		}
		advanced = true
	}
	return advanced, l.Left == 0
}
