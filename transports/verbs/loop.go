//go:build verbs && cgo

package verbs

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"gobench/device"
	"gobench/device/protocol"
	"gobench/transports/native/rma"
	"gobench/transports/verbs/ibv"
)

// loops runs the loops of benchmarks, one at a time.
type loops struct {
	q      *queues
	memory *memory
	loop   loop // of the last Begin
}

// A loop is a protocol.Loop in progress.
type loop struct {
	ibv.Loop
	plan *protocol.Loop
	peer *peer
}

const (
	// loopLooks is the number of polls without an event after which a loop returns, so that the
	// caller can check whether the peer is alive.
	loopLooks = 1 << 13
	// loopSteps is the number of requests, or halves of a ping-pong, after which a loop returns, so
	// that other peers are served.
	loopSteps = 1 << 8
)

var loopKinds = [...]uint32{protocol.LoopSend: ibv.LoopSend, protocol.LoopPutPong: ibv.LoopPutPong, protocol.LoopPut: ibv.LoopPut, protocol.LoopGet: ibv.LoopGet,
	protocol.LoopFetchAdd: ibv.LoopAdd, protocol.LoopCompareSwap: ibv.LoopSwap}

// Native implements protocol.Looper (option loop). A loop in C polls one rail only.
func (o *loops) Native() bool { return o.q.set.native && len(o.q.rails) == 1 }

// looks returns the number of polls without an event after which a loop returns.
func (o *loops) looks() int {
	if o.q.set.blocking {
		return looks
	}
	return loopLooks
}

// Offers implements protocol.Looper.
func (o *loops) Offers(op device.LinkOperation) error {
	s, at := &o.q.set, o.q.railAddresses[0]
	atomic := op == device.LinkFetchAdd || op == device.LinkCompareSwap
	switch {
	case s.service == "ud":
		return fmt.Errorf("service=ud has messages alone: %v needs service=rc", op)
	case s.service == "uc" && (atomic || op == device.LinkGet):
		return fmt.Errorf("service=uc has messages and puts: %v needs service=rc", op)
	case atomic && !o.q.rails[0].Port().Atomics:
		return fmt.Errorf("device %s has no atomic operations", at.device)
	case s.blocking && op == device.LinkPutPong:
		return fmt.Errorf("wait=block: %v waits for a change of memory, of which no event tells; take wait=spin", op)
	}
	return nil
}

// awaitsPut reports whether the loop under way waits for a put of a peer.
func (o *loops) awaitsPut(p *peer) bool {
	l := &o.loop
	return l.peer == p && l.Kind == ibv.LoopPutPong && l.Left > 0 && l.Sending == 0
}

// Begin implements protocol.Looper. A loop uses the first rail; puts and gets use all queue pairs
// of the peer in turn (option qps).
func (o *loops) Begin(to int, plan *protocol.Loop) {
	p := o.q.peers[to]
	o.loop = loop{peer: p, plan: plan, Loop: ibv.Loop{
		Kind: loopKinds[plan.Kind], Left: uint32(plan.Left), Each: uint32(plan.Each),
		Queue: uint32(p.queue), Stride: uint32(len(o.q.byQ)), Lanes: uint32(o.q.set.queues), Length: uint32(len(plan.Out)),
		Out: uint64(address(plan.Out)), In: uint64(address(plan.In)), Number: uint32(plan.Number),
		Operand: plan.Operand,
		Header:  [3]uint64{plan.Header.W0, plan.Header.W1, plan.Header.W2}, Credit: plan.Credit,
	}}
	if plan.Sending {
		o.loop.Sending = 1
	}
	if plan.Kind == protocol.LoopCompareSwap {
		o.loop.Lanes = 1 // a swap expects the value of the one before
	}
	if plan.Kind != protocol.LoopSend {
		o.loop.LKey, _ = o.memory.At(rma.Handle(plan.Mine)).Memory.rails[0].Keys()
		o.loop.Remote, o.loop.RKey = plan.Theirs[0], keyRemote(plan.Theirs, 0)
	}
}

// run continues the loop: in C, or with loop=go by a call into C for every request and every poll.
func (o *loops) run() (advanced, done bool) {
	l := &o.loop
	before := l.Loop
	if !o.q.set.native {
		o.goLoop()
	} else if events, err := o.q.rails[0].Loop(&l.Loop, l.plan.Stamps, o.looks(), loopSteps); err != nil {
		o.q.GiveUp(&l.peer.Peer, "posting a request: "+err.Error())
	} else {
		o.q.events, o.q.next = events, 0
	}
	advanced = l.Left != before.Left || l.Posted != before.Posted || l.Ended != before.Ended
	// A silent peer is probed (Idle).
	l.peer.Heard = l.peer.Heard || l.Left != before.Left || l.Ended != before.Ended
	l.plan.Left, l.plan.Heard = int(l.Left), l.Heard
	return advanced, l.Done()
}

// goLoop is the Go version of gb_loop, for puts and gets.
func (o *loops) goLoop() {
	l := &o.loop
	looks := 0
	for steps := 0; steps < loopSteps && looks < o.looks() && !l.Done() && !o.q.Pending(); {
		switch {
		case l.Left == 0: // only completions are outstanding
		case l.Kind == ibv.LoopPutPong && l.Sending == 0:
			if lastByte(l.plan.In) == uint8(l.Number) {
				l.halfOver()
				steps++
				continue
			}
		case l.Kind == ibv.LoopPutPong:
			l.plan.Out[len(l.plan.Out)-1] = uint8(l.Number)
			if o.postLoop(0, l.Left <= 2) {
				l.halfOver()
				steps++
				continue
			}
		case l.Posted < l.Each:
			if o.postLoop(l.Posted%l.Lanes, l.Each-l.Posted <= l.Lanes) {
				l.Posted++
				steps++
				continue
			}
		case l.Ended == l.Due:
			l.Left, l.Posted = l.Left-1, 0
			l.plan.Stamps.Round()
			steps++
			continue
		}
		looks++
		if o.q.look(0, 1) && !o.onlyEnds() {
			return
		}
	}
}

// postLoop posts a put or get of a loop. It reports false if there is no room or the peer was
// abandoned.
func (o *loops) postLoop(lane uint32, last bool) bool {
	l := &o.loop
	piece := ibv.Piece{Local: l.Out, Remote: l.Remote, LKey: l.LKey, RKey: l.RKey, Length: len(l.plan.Out), Token: ibv.LoopToken, Last: last}
	queue := int(l.Queue + lane*l.Stride)
	var s ibv.Sent
	if l.Kind == ibv.LoopAdd || l.Kind == ibv.LoopSwap {
		s = o.q.rails[0].Atomic(queue, &piece, l.Kind == ibv.LoopSwap, l.Operand)
	} else if l.Kind == ibv.LoopGet {
		s = o.q.rails[0].Read(queue, &piece)
	} else {
		s = o.q.rails[0].Write(queue, &piece)
	}
	if s < 0 {
		o.q.GiveUp(&l.peer.Peer, "posting an RDMA request: "+s.Err("ibv_post_send").Error())
	}
	if s != 0 {
		return false
	}
	if last {
		l.Due++
	}
	if l.Kind == ibv.LoopSwap {
		l.Operand++
	}
	return true
}

// halfOver ends one half of a round of a ping-pong.
func (l *loop) halfOver() {
	l.Sending ^= 1
	if l.Left--; l.Left%2 == 0 {
		l.Number++
		l.plan.Stamps.Round()
	}
}

// onlyEnds reports whether the last poll found only completions of the loop's requests, and counts
// them.
func (o *loops) onlyEnds() bool {
	for i := range o.q.events {
		if e := &o.q.events[i]; e.Kind != ibv.Ended || e.Token != ibv.LoopToken {
			return false
		}
	}
	o.loop.Ended += uint32(len(o.q.events))
	o.q.next = len(o.q.events)
	return true
}

// lastByte reads the last byte of memory that an adapter writes to.
func lastByte(b []byte) uint8 {
	p := unsafe.Pointer(&b[len(b)-1])
	word := atomic.LoadUint32((*uint32)(unsafe.Pointer(uintptr(p) &^ 3)))
	return (*[4]byte)(unsafe.Pointer(&word))[uintptr(p)&3]
}
