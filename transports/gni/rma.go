//go:build gni && cgo

package gni

import (
	"fmt"

	"gobench/device/protocol"
	"gobench/transports/gni/ugni"
	"gobench/transports/native/registration"
)

// transfers are the puts and gets of a rank. A transfer goes in pieces, which are operations of the
// NIC.
type transfers struct {
	l      *links
	memory *memory
	ops    []op
	free   []int32 // indices of ops
	pieces []piece
	idle   []int32 // indices of pieces
	ended  protocol.Completions

	bounce       []byte // registered: a part for each piece
	bounceMemory ugni.Memory
}

// op is a put or get under way.
type op struct {
	used     bool
	get      bool
	peer     *peer
	token    uint64
	buf      []byte
	remote   uint64
	theirs   ugni.Memory
	mine     ugni.Memory
	posted   int
	open     int // pieces that have not ended
	notice   bool
	word     uint32
	noticing bool // all is in place but the notice is not sent
	broken   bool // a piece has failed
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

// Route implements protocol.Router: the receiver reads what is of medium size and aligned, and the
// sender writes the rest (thesis, chapter 4: ugnidev).
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

// PutNotice implements protocol.Notifier: the notice is a short message once the data is in place.
func (t *transfers) PutNotice(to int, dst protocol.Key, offset int, src []byte, srcKey protocol.Key, token uint64, word uint32) protocol.Started {
	return t.start(to, dst, offset, src, srcKey, op{token: token, notice: true, word: word})
}

// Notice implements protocol.Notifier.
func (t *transfers) Notice(to int, word uint32) bool {
	p := t.l.peers[to]
	if p.failed {
		return true
	}
	if len(p.waiting) > 0 || p.putting > 0 {
		return false
	}
	return t.l.message(p, ugni.Outgoing{Tag: ugni.TagNotice, Word: word}, nil)
}

// Put implements protocol.RMA.
func (t *transfers) Put(to int, dst protocol.Key, offset int, src []byte, srcKey protocol.Key, token uint64) protocol.Started {
	return t.start(to, dst, offset, src, srcKey, op{token: token})
}

// Get implements protocol.RMA.
func (t *transfers) Get(from int, src protocol.Key, offset int, dst []byte, dstKey protocol.Key, token uint64) protocol.Started {
	return t.start(from, src, offset, dst, dstKey, op{token: token, get: true})
}

func (t *transfers) start(peer int, theirs protocol.Key, offset int, buf []byte, mine protocol.Key, o op) protocol.Started {
	p := t.l.peers[peer]
	if p.failed {
		t.ended.Add(o.token, p.lost())
		return protocol.Pending
	}
	if size := keyLength(theirs); offset < 0 || uint64(offset) > size || uint64(len(buf)) > size-uint64(offset) {
		t.ended.Add(o.token, fmt.Errorf("%d bytes at offset %d do not fit the buffer of %d bytes of rank %d",
			len(buf), offset, size, peer))
		return protocol.Pending
	}
	if len(buf) == 0 {
		return protocol.Done
	}
	i := t.takeOp()
	o.used, o.peer, o.buf, o.remote = true, p, buf, theirs[0]+uint64(offset)
	o.theirs, o.mine = keyMemory(theirs), keyMemory(mine)
	if !o.get && !o.notice {
		p.putting++
	}
	t.ops[i] = o
	if len(p.waiting) > 0 || !t.post(i) {
		p.waiting = append(p.waiting, i)
	}
	return protocol.Pending
}

// post posts pieces while there is room, and reports whether all are posted.
func (t *transfers) post(i int32) bool {
	o := &t.ops[i]
	if o.noticing {
		return t.finish(i)
	}
	for o.posted < len(o.buf) && !o.broken {
		if len(t.idle) == 0 {
			return false
		}
		k := t.idle[len(t.idle)-1]
		a := t.cut(o, k)
		switch s := t.l.nic.Post(&a, o.get, a.Length > uint64(t.l.set.fmaLimit)); {
		case s == ugni.NoRoom:
			return false
		case s < 0:
			call := "GNI_PostFma"
			if a.Length > uint64(t.l.set.fmaLimit) {
				call = "GNI_PostRdma"
			}
			t.l.giveUp(o.peer, fmt.Sprintf("%v for %d bytes", s.Err(call), a.Length))
			return true
		}
		t.idle = t.idle[:len(t.idle)-1]
		t.pieces[k].op = i
		o.posted += t.pieces[k].length
		o.open++
	}
	return true
}

// cut makes the next piece of an operation. GET takes whole units of 4 bytes at both ends: what is
// not aligned goes through the bounce buffer of the piece. A head and a tail are enough where both
// addresses have the same remainder; else all of the data bounces.
func (t *transfers) cut(o *op, k int32) ugni.Piece {
	left := len(o.buf) - o.posted
	local, remote := uint64(registration.Address(o.buf))+uint64(o.posted), o.remote+uint64(o.posted)
	a := ugni.Piece{Local: local, Remote: remote, Token: uint64(k), Mine: o.mine, Theirs: o.theirs, Peer: uint32(o.peer.rank)}
	n := min(left, t.l.set.segment)
	if !o.get {
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
	t.pieces[k] = piece{bounced: true, at: o.posted, skip: skip, length: n}
	a.Local, a.Mine = uint64(registration.Address(t.bounce[int(k)*bounceSize:])), t.bounceMemory
	a.Remote, a.Length = remote-uint64(skip), uint64(skip+n+grain-1)&^(grain-1)
	return a
}

// advance posts pieces that had to wait for room.
func (t *transfers) advance() {
	for _, p := range t.l.all {
		for len(p.waiting) > 0 && t.post(p.waiting[0]) {
			p.waiting = p.waiting[:copy(p.waiting, p.waiting[1:])]
		}
	}
}

// pieceEnded takes the end of a piece. A transfer of which a piece has failed ends with its peer.
func (t *transfers) pieceEnded(k int32, failed bool) {
	c := &t.pieces[k]
	i := c.op
	o := &t.ops[i]
	if c.bounced && o.used && !failed {
		at := int(k)*bounceSize + c.skip
		copy(o.buf[c.at:c.at+c.length], t.bounce[at:])
	}
	t.idle = append(t.idle, k)
	o.broken = o.broken || failed
	if o.open--; o.open > 0 {
		return
	}
	if !o.used { // its peer has failed before
		t.freeOp(i)
		return
	}
	if o.broken || o.posted < len(o.buf) {
		return
	}
	if o.notice {
		o.noticing = true
		if len(o.peer.waiting) > 0 || !t.finish(i) {
			o.peer.waiting = append(o.peer.waiting, i)
		}
		return
	}
	if !o.get {
		o.peer.putting--
	}
	t.ended.Add(o.token, nil)
	t.freeOp(i)
}

// finish sends the notice of a put that is in place, and ends it.
func (t *transfers) finish(i int32) bool {
	o := &t.ops[i]
	if !t.l.message(o.peer, ugni.Outgoing{Tag: ugni.TagNotice, Word: o.word}, nil) {
		return false
	}
	if o.peer.failed {
		return true // ends with all that was under way
	}
	t.ended.Add(o.token, nil)
	t.freeOp(i)
	return true
}

// endAll ends the transfers of a failed peer. The pieces that the NIC still has end later.
func (t *transfers) endAll(p *peer) {
	p.waiting, p.putting = p.waiting[:0], 0
	for i := range t.ops {
		if o := &t.ops[i]; o.used && o.peer == p {
			t.ended.Add(o.token, p.lost())
			o.used, o.buf = false, nil
			if o.open == 0 {
				t.freeOp(int32(i))
			}
		}
	}
}

func (t *transfers) takeOp() int32 {
	if len(t.free) == 0 {
		t.ops = append(t.ops, op{})
		return int32(len(t.ops) - 1)
	}
	i := t.free[len(t.free)-1]
	t.free = t.free[:len(t.free)-1]
	return i
}

func (t *transfers) freeOp(i int32) {
	t.ops[i] = op{}
	t.free = append(t.free, i)
}
