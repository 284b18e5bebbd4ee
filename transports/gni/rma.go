//go:build gni && cgo

package gni

import (
	"errors"
	"fmt"

	"gobench/device/protocol"
	"gobench/transports/gni/ugni"
	"gobench/transports/native/registration"
	"gobench/transports/native/rma"
)

// transfers are the puts and gets of a rank. A transfer goes in pieces, which are operations of the
// NIC.
type transfers struct {
	rma.Transfers
	l      *links
	memory *memory
	pieces []piece
	idle   []int32 // indices of pieces

	bounce       []byte // registered: a part for each piece
	bounceMemory ugni.Memory
}

// piece is one operation of the NIC.
type piece struct {
	op      int32
	bounced bool
	at      int // of a bounced piece: where its bytes go in the buffer,
	skip    int // where they begin in the bounce buffer,
	length  int // and their number
}

// bounceSize is the room of a piece that is not aligned, in bytes.
const bounceSize = 4096

// prepare makes the pieces and the bounce buffers.
func (t *transfers) prepare() error {
	n := t.l.set.posts
	buf, err := t.memory.Alloc(n * bounceSize)
	if err != nil {
		return err
	}
	r, err := t.memory.Take(buf)
	if err != nil {
		return err
	}
	t.bounce, t.bounceMemory = buf, r.Memory
	t.pieces = make([]piece, n)
	for i := range n {
		t.idle = append(t.idle, int32(i))
	}
	return nil
}

// Route implements protocol.Router: the receiver reads aligned messages of medium size, and the
// sender writes all others (thesis, chapter 4: ugnidev).
func (t *transfers) Route(peer, size int, m protocol.Transfer) protocol.Route {
	if size <= eagerLimit {
		return protocol.Route{Eager: true}
	}
	mine := uint64(registration.Address(m.Mine))
	aligned := (mine|uint64(len(m.Mine)))%grain == 0
	if m.Keyed {
		aligned = aligned && m.Theirs[0]%grain == 0
		if t.l.set.bounce {
			aligned = (mine^m.Theirs[0])%grain == 0
		}
	} else if t.l.set.bounce {
		aligned = true
	}
	if size <= t.l.set.getLimit && aligned {
		return protocol.Route{Key: true, Method: protocol.Get}
	}
	return protocol.Route{Method: protocol.Put}
}

// Notifies implements protocol.Notifier.
func (t *transfers) Notifies() bool { return true }

// Apart implements rma.Adapter: a message may arrive before data that were put earlier.
func (t *transfers) Apart(int) bool { return true }

// SendNotice implements rma.Adapter by a short message.
func (t *transfers) SendNotice(p *rma.Peer, word uint32) bool {
	return t.l.message(t.l.peers[p.Rank], ugni.Outgoing{Tag: ugni.TagNotice, Word: word}, nil)
}

// Post implements rma.Adapter.
func (t *transfers) Post(i int32, o *rma.Op) bool {
	for o.Posted < len(o.Buf) {
		if len(t.idle) == 0 {
			return false
		}
		k := t.idle[len(t.idle)-1]
		a := t.cut(o, k)
		switch s := t.l.nic.Post(&a, o.Get, a.Length > uint64(t.l.set.fmaLimit)); {
		case s == ugni.NoRoom:
			return false
		case s < 0:
			call := "GNI_PostFma"
			if a.Length > uint64(t.l.set.fmaLimit) {
				call = "GNI_PostRdma"
			}
			t.l.GiveUp(o.Peer, fmt.Sprintf("%v for %d bytes", s.Err(call), a.Length))
			return true
		}
		t.idle = t.idle[:len(t.idle)-1]
		t.pieces[k].op = i
		o.Posted += t.pieces[k].length
		o.Open++
	}
	return true
}

// cut returns the next piece of an operation. GET transfers whole units of 4 bytes, so unaligned
// data is read through the bounce buffer of the piece. If both addresses have the same remainder,
// only a head and a tail are; else all data is.
func (t *transfers) cut(o *rma.Op, k int32) ugni.Piece {
	left := len(o.Buf) - o.Posted
	local, remote := uint64(registration.Address(o.Buf))+uint64(o.Posted), o.Remote+uint64(o.Posted)
	a := ugni.Piece{Local: local, Remote: remote, Token: uint64(k), Mine: keyMemory(o.Mine), Theirs: keyMemory(o.Theirs), Peer: uint32(o.Peer.Rank)}
	n := min(left, t.l.set.segment)
	if !o.Get {
		t.pieces[k] = piece{length: n}
		a.Length = uint64(n)
		return a
	}
	skip := int(remote % grain)
	if local%grain == uint64(skip) {
		if skip == 0 && left >= grain {
			n &^= grain - 1
			t.pieces[k] = piece{length: n}
			a.Length = uint64(n)
			return a
		}
		n = min(left, grain-skip)
	}
	n = min(n, bounceSize-grain)
	t.pieces[k] = piece{bounced: true, at: o.Posted, skip: skip, length: n}
	a.Local, a.Mine = uint64(registration.Address(t.bounce[int(k)*bounceSize:])), t.bounceMemory
	a.Remote, a.Length = remote-uint64(skip), uint64(skip+n+grain-1)&^(grain-1)
	return a
}

// pieceEnded handles the completion of a piece.
func (t *transfers) pieceEnded(k int32, failed bool) {
	c := &t.pieces[k]
	if o := t.Of(c.op); c.bounced && o != nil && !failed {
		at := int(k)*bounceSize + c.skip
		copy(o.Buf[c.at:c.at+c.length], t.bounce[at:])
	}
	t.idle = append(t.idle, k)
	t.PieceEnded(c.op, failed)
}

// keyMemory returns the handle of the library in the second half of a key.
func keyMemory(k protocol.Key) ugni.Memory { return ugni.Memory{k[2], k[3]} }

// memory is the registered memory of a rank.
type memory = rma.Memory[ugni.Memory]

// grain is the unit of GET, in bytes: it may read beyond both ends of a buffer, to whole units.
const grain = 4

func newMemory(l *links) memory {
	return rma.NewMemory(registration.New(
		func(start, end uintptr) (ugni.Memory, error) {
			start, end = start&^(grain-1), (end+grain-1)&^(grain-1)
			m, err := l.nic.Register(start, end-start)
			if err != nil {
				return m, explainRegistration(int(end-start), err)
			}
			return m, nil
		},
		func(m *ugni.Memory) { l.nic.Deregister(*m) }),
		func(m *ugni.Memory) [2]uint64 { return *m })
}

func explainRegistration(n int, err error) error {
	if call, ok := errors.AsType[*ugni.Error](err); ok && call.Exhausted() {
		return fmt.Errorf("registering %d bytes: %w: the NIC has no more of its memory descriptors; take a smaller reg_cache, or larger pages", n, err)
	}
	return fmt.Errorf("registering %d bytes: %w", n, err)
}
