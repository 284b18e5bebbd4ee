//go:build verbs && cgo

package verbs

import (
	"sync/atomic"
	"unsafe"

	"gobench/device"
	"gobench/device/protocol"
	"gobench/transports/verbs/ibv"
)

// moving is a Move under way.
type moving struct {
	ibv.Move
	peer    *peer
	out, in []byte
	stamps  *device.Stamps
}

var _ protocol.Mover = (*wire)(nil)

// Begin implements protocol.Mover. A move takes the first rail, and all queue pairs of the peer in turn (option qps).
func (w *wire) Begin(to int, m protocol.Move) {
	p := w.peers[to]
	mine := w.memory.at(keyHandle(m.Mine))
	lkey, _ := mine.rails[0].Keys()
	w.move = moving{peer: p, out: m.Out, in: m.In, stamps: m.Stamps, Move: ibv.Move{
		Kind: kinds[m.Kind], Rounds: uint32(m.Rounds), Each: uint32(m.Each), Queue: uint32(p.queue), Stride: uint32(len(w.byQ)), Lanes: uint32(w.set.queues),
		Length: uint32(len(m.Out)), LKey: lkey, RKey: keyRemote(m.Theirs, 0), Number: uint32(m.Number),
		Out: uint64(address(m.Out)), In: uint64(address(m.In)), Remote: m.Theirs[0],
	}}
	if m.First {
		w.move.First, w.move.Sending = 1, 1
	}
}

var kinds = [...]uint32{protocol.MovePut: ibv.MovePut, protocol.MoveGet: ibv.MoveGet, protocol.MovePong: ibv.MovePong}

// Continue implements protocol.Mover: in C, or with loop=go by a call into C for every request and every look.
func (w *wire) Continue() bool {
	m := &w.move
	if m.peer.failed || w.next < len(w.events) || len(w.severed)+len(w.unsaid)+len(w.ended) > 0 {
		return false
	}
	rounds, ended := m.Rounds, m.Ended
	if w.set.goLoop {
		w.goMove()
	} else if events, err := w.rails[0].Move(&m.Move, m.stamps, loopLooks); err != nil {
		w.giveUp(m.peer, "posting an RDMA request: "+err.Error())
	} else {
		w.events, w.next, w.turn = events, 0, 0
	}
	// Whoever only looks at memory hears of a peer that has died by asking it (Idle).
	m.peer.heard = m.peer.heard || m.Rounds != rounds || m.Ended != ended
	return m.Done()
}

// goMove is gb_move in Go.
func (w *wire) goMove() {
	m := &w.move
	for range loopLooks {
		switch {
		case m.Done():
			return
		case m.Rounds == 0: // ends are to come
		case m.Kind == ibv.MovePong && m.Sending == 0:
			if lastByte(m.in) == uint8(m.Number) {
				m.turnOver()
			}
			continue
		case m.Kind == ibv.MovePong:
			m.out[len(m.out)-1] = uint8(m.Number)
			if w.postMove(0, m.Rounds == 1) {
				m.turnOver()
				continue
			}
		case m.Posted < m.Each:
			if w.postMove(m.Posted%m.Lanes, m.Each-m.Posted <= m.Lanes) {
				m.Posted++
				continue
			}
		case m.Ended == m.Due:
			m.Rounds, m.Posted = m.Rounds-1, 0
			m.stamps.Round()
			continue
		}
		if len(w.unsaid) > 0 || w.look(0, 1) && !w.onlyEnds() {
			return
		}
	}
}

// postMove posts a request of a move. It reports false where there is no room, or the peer was given up.
func (w *wire) postMove(lane uint32, last bool) bool {
	m := &w.move
	piece := ibv.Piece{Local: m.Out, Remote: m.Remote, LKey: m.LKey, RKey: m.RKey, Length: len(m.out), Token: ibv.MoveToken, Last: last}
	queue := int(m.Queue + lane*m.Stride)
	var s ibv.Sent
	if m.Kind == ibv.MoveGet {
		s = w.rails[0].Read(queue, &piece)
	} else {
		s = w.rails[0].Write(queue, &piece)
	}
	if s < 0 {
		w.giveUp(m.peer, "posting an RDMA request: "+s.Err("ibv_post_send").Error())
	}
	if s != 0 {
		return false
	}
	if last {
		m.Due++
	}
	return true
}

// turnOver ends one half of a round of a pong.
func (m *moving) turnOver() {
	if m.Sending != m.First {
		m.Rounds--
		m.Number++
		m.stamps.Round()
	}
	m.Sending ^= 1
}

// onlyEnds reports whether the last look found nothing but ends of the move, which it counts.
func (w *wire) onlyEnds() bool {
	for i := range w.events {
		if e := &w.events[i]; e.Kind != ibv.Ended || e.Token != ibv.MoveToken {
			return false
		}
	}
	w.move.Ended += uint32(len(w.events))
	w.next = len(w.events)
	return true
}

// lastByte reads the last byte of memory that an adapter writes to.
func lastByte(b []byte) uint8 {
	p := unsafe.Pointer(&b[len(b)-1])
	word := atomic.LoadUint32((*uint32)(unsafe.Pointer(uintptr(p) &^ 3)))
	return (*[4]byte)(unsafe.Pointer(&word))[uintptr(p)&3]
}
