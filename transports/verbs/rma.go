//go:build verbs && cgo

package verbs

import (
	"fmt"

	"gobench/device/protocol"
	"gobench/transports/native/registration"
	"gobench/transports/verbs/ibv"
)

// A protocol.Key of this wire: the address, the length (40 bits) with the place in the table of
// buffers (24 bits), and the remote keys of four rails.
const lengthBits = 40

func key(buf []byte, r *registration.Region[railMemory]) protocol.Key {
	k := protocol.Key{uint64(address(buf)), uint64(len(buf)) | uint64(r.Handle)<<lengthBits}
	for i := range r.Memory.n {
		_, rkey := r.Memory.rails[i].Keys()
		k[2+i/2] |= uint64(rkey) << (32 * (i % 2))
	}
	return k
}

func keyLength(k protocol.Key) uint64 { return k[1] & (1<<lengthBits - 1) }
func keyHandle(k protocol.Key) int32  { return int32(k[1] >> lengthBits) }
func keyRemote(k protocol.Key, rail int) uint32 {
	return uint32(k[2+rail/2] >> (32 * (rail % 2)))
}

// transfers are the puts and gets of a rank.
type transfers struct {
	q      *queues
	memory *memory
	ops    []op
	free   []int32 // indices of ops
	ended  protocol.Completions
}

// op is a put or get under way.
type op struct {
	used     bool
	get      bool
	peer     *peer
	token    uint64
	local    uint64
	remote   uint64
	theirs   protocol.Key
	mine     *railMemory
	length   int
	posted   int
	open     int // last pieces of rails that have not ended
	striped  bool
	notice   bool // sendNotice the peer by word when it is in place
	word     uint32
	noticing bool // all is in place but the notice is not sent
}

// stripe is the least length that is cut over several rails.
const stripe = 64 << 10

// Notifies implements protocol.Notifier.
func (t *transfers) Notifies() bool { return t.q.set.notice == "on" }

// PutNotice implements protocol.Notifier: the last RDMA write carries the word as its immediate
// data.
func (t *transfers) PutNotice(to int, dst protocol.Key, offset int, src []byte, srcKey protocol.Key, token uint64, word uint32) protocol.Started {
	return t.start(to, dst, offset, src, srcKey, op{token: token, notice: true, word: word})
}

// Notice implements protocol.Notifier by an empty write with immediate data.
func (t *transfers) Notice(to int, word uint32) bool {
	p := t.q.peers[to]
	if p.failed {
		return true
	}
	if len(p.waiting) > 0 || p.putting > 0 {
		return false
	}
	return t.sendNotice(p, word)
}

// sendNotice writes nothing, with word as immediate data. It reports false if there is no room now.
func (t *transfers) sendNotice(p *peer, word uint32) bool {
	piece := ibv.Piece{Remote: p.remote[0].landing, RKey: p.remote[0].rkey, Notice: true, Word: word}
	s := t.q.rails[0].Write(p.queue, &piece)
	if s < 0 {
		t.q.giveUp(p, "posting a notice: "+s.Err("ibv_post_send").Error())
	}
	return s != ibv.NoRoom
}

// Put implements protocol.RMA by RDMA writes.
func (t *transfers) Put(to int, dst protocol.Key, offset int, src []byte, srcKey protocol.Key, token uint64) protocol.Started {
	return t.start(to, dst, offset, src, srcKey, op{token: token})
}

// Get implements protocol.RMA by RDMA reads.
func (t *transfers) Get(from int, src protocol.Key, offset int, dst []byte, dstKey protocol.Key, token uint64) protocol.Started {
	return t.start(from, src, offset, dst, dstKey, op{token: token, get: true})
}

func (t *transfers) start(peer int, theirs protocol.Key, offset int, buf []byte, mine protocol.Key, o op) protocol.Started {
	p := t.q.peers[peer]
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
	o.used, o.peer, o.local, o.remote, o.length = true, p, uint64(address(buf)), theirs[0]+uint64(offset), len(buf)
	o.theirs, o.mine = theirs, &t.memory.At(keyHandle(mine)).Memory
	o.striped = len(t.q.rails) > 1 && len(buf) >= stripe
	if o.striped && !o.get && !o.notice {
		p.putting++
	}
	t.ops[i] = o
	if len(p.waiting) > 0 || !t.post(i) {
		p.waiting = append(p.waiting, i)
	}
	return protocol.Pending
}

// post posts requests while there is room, and reports whether all are posted.
func (t *transfers) post(i int32) bool {
	o := &t.ops[i]
	if o.noticing {
		return t.endStriped(i)
	}
	for o.posted < o.length {
		n, rail, last := t.piece(o)
		lkey, _ := o.mine.rails[rail].Keys()
		piece := ibv.Piece{Local: o.local + uint64(o.posted), Remote: o.remote + uint64(o.posted), LKey: lkey,
			RKey: keyRemote(o.theirs, rail), Length: n, Token: uint64(i), Last: last,
			Notice: last && o.notice && !o.striped, Word: o.word}
		var s ibv.Sent
		if o.get {
			s = t.q.rails[rail].Read(o.peer.queue, &piece)
		} else {
			s = t.q.rails[rail].Write(o.peer.queue, &piece)
		}
		switch {
		case s == ibv.NoRoom:
			return false
		case s < 0:
			t.q.giveUp(o.peer, fmt.Sprintf("posting an RDMA request of %d bytes: %v", n, s.Err("ibv_post_send")))
			return true
		}
		o.posted += n
		if last {
			o.open++
		}
	}
	return true
}

// piece returns the next request of an operation: its length, its rail, and whether it is the last
// of that rail. Rails take turns by segments of equal length.
func (t *transfers) piece(o *op) (n, rail int, last bool) {
	if !o.striped {
		n = min(o.length-o.posted, t.q.set.segment)
		return n, 0, o.posted+n == o.length
	}
	share := min(((o.length+len(t.q.rails)-1)/len(t.q.rails)+63)&^63, t.q.set.segment)
	n = min(o.length-o.posted, share)
	rail = o.posted / share % len(t.q.rails)
	return n, rail, true
}

// advance posts requests that had to wait for room.
func (t *transfers) advance() {
	for _, p := range t.q.byQ {
		for len(p.waiting) > 0 && t.post(p.waiting[0]) {
			p.waiting = p.waiting[:copy(p.waiting, p.waiting[1:])]
		}
	}
}

// pieceEnded notes that the last piece of a rail is in place.
func (t *transfers) pieceEnded(p *peer, i int32) {
	o := &t.ops[i]
	if !o.used || o.peer != p {
		return
	}
	if o.open--; o.open > 0 || o.posted < o.length {
		return
	}
	if o.striped && o.notice {
		o.noticing = true
		if len(p.waiting) > 0 || !t.endStriped(i) {
			p.waiting = append(p.waiting, i)
		}
		return
	}
	if o.striped && !o.get {
		p.putting--
	}
	t.ended.Add(o.token, nil)
	t.freeOp(i)
}

// endStriped sends the notice of a striped put, which is in place on all rails, and ends it.
func (t *transfers) endStriped(i int32) bool {
	o := &t.ops[i]
	if !t.sendNotice(o.peer, o.word) {
		return false
	}
	if o.peer.failed {
		return true // ends with all that was under way
	}
	t.ended.Add(o.token, nil)
	t.freeOp(i)
	return true
}

// endAll ends the transfers of a failed peer.
func (t *transfers) endAll(p *peer) {
	p.waiting, p.putting = p.waiting[:0], 0
	for i := range t.ops {
		if o := &t.ops[i]; o.used && o.peer == p {
			t.ended.Add(o.token, p.lost())
			t.freeOp(int32(i))
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
