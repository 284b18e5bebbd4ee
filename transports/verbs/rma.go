//go:build verbs && cgo

package verbs

import (
	"fmt"

	"gobench/device/protocol"
	"gobench/transports/verbs/ibv"
)

// A protocol.Key of this wire: the address, the length (40 bits) with the place in the table of
// buffers (24 bits), and the remote keys of four rails.
const lengthBits = 40

func key(buf []byte, handle int32, m *region) protocol.Key {
	k := protocol.Key{uint64(address(buf)), uint64(len(buf)) | uint64(handle)<<lengthBits}
	for i := range m.n {
		_, rkey := m.rails[i].Keys()
		k[2+i/2] |= uint64(rkey) << (32 * (i % 2))
	}
	return k
}

func keyLength(k protocol.Key) uint64 { return k[1] & (1<<lengthBits - 1) }
func keyHandle(k protocol.Key) int32  { return int32(k[1] >> lengthBits) }
func keyRemote(k protocol.Key, rail int) uint32 {
	return uint32(k[2+rail/2] >> (32 * (rail % 2)))
}

// op is a put or get under way.
type op struct {
	used    bool
	get     bool
	peer    *peer
	token   uint64
	local   uint64
	remote  uint64
	theirs  protocol.Key
	mine    *region
	length  int
	posted  int
	open    int // last pieces of rails that have not ended
	striped bool
	notice  bool // tell the peer by word when it is in place
	word    uint32
	telling bool // all is in place but the notice
}

// stripe is the least length that is cut over several rails.
const stripe = 64 << 10

// Notifies implements protocol.Notifier.
func (w *wire) Notifies() bool { return w.set.notice == "on" }

// PutNotice implements protocol.Notifier: the last RDMA write carries the word as its immediate data.
func (w *wire) PutNotice(to int, dst protocol.Key, offset int, src []byte, srcKey protocol.Key, token uint64, word uint32) protocol.Started {
	return w.start(to, dst, offset, src, srcKey, op{token: token, notice: true, word: word})
}

// Notice implements protocol.Notifier by an empty write with immediate data.
func (w *wire) Notice(to int, word uint32) bool {
	p := w.peers[to]
	if p.failed {
		return true
	}
	if len(p.waiting) > 0 || p.putting > 0 {
		return false
	}
	return w.tell(p, word)
}

// tell reports false where there is no room now.
func (w *wire) tell(p *peer, word uint32) bool {
	piece := ibv.Piece{Remote: p.remote[0].landing, RKey: p.remote[0].rkey, Notice: true, Word: word}
	s := w.rails[0].Write(p.queue, &piece)
	if s < 0 {
		w.giveUp(p, "posting a notice: "+s.Err("ibv_post_send").Error())
	}
	return s != ibv.NoRoom
}

// Put implements protocol.RMA by RDMA writes.
func (w *wire) Put(to int, dst protocol.Key, offset int, src []byte, srcKey protocol.Key, token uint64) protocol.Started {
	return w.start(to, dst, offset, src, srcKey, op{token: token})
}

// Get implements protocol.RMA by RDMA reads.
func (w *wire) Get(from int, src protocol.Key, offset int, dst []byte, dstKey protocol.Key, token uint64) protocol.Started {
	return w.start(from, src, offset, dst, dstKey, op{token: token, get: true})
}

func (w *wire) start(peer int, theirs protocol.Key, offset int, buf []byte, mine protocol.Key, o op) protocol.Started {
	p := w.peers[peer]
	if p.failed {
		w.ended = append(w.ended, completion{o.token, p.lost()})
		return protocol.Pending
	}
	if size := keyLength(theirs); offset < 0 || uint64(offset) > size || uint64(len(buf)) > size-uint64(offset) {
		w.ended = append(w.ended, completion{o.token, fmt.Errorf("%d bytes at offset %d do not fit the buffer of %d bytes of rank %d",
			len(buf), offset, size, peer)})
		return protocol.Pending
	}
	if len(buf) == 0 {
		return protocol.Done
	}
	i := w.takeOp()
	o.used, o.peer, o.local, o.remote, o.length = true, p, uint64(address(buf)), theirs[0]+uint64(offset), len(buf)
	o.theirs, o.mine = theirs, w.memory.at(keyHandle(mine))
	o.striped = len(w.rails) > 1 && len(buf) >= stripe
	if o.striped && !o.get && !o.notice {
		p.putting++
	}
	w.ops[i] = o
	if len(p.waiting) > 0 || !w.post(i) {
		p.waiting = append(p.waiting, i)
	}
	return protocol.Pending
}

// post posts what there is room for, and reports whether that was all.
func (w *wire) post(i int32) bool {
	o := &w.ops[i]
	if o.telling {
		return w.told(i)
	}
	for o.posted < o.length {
		n, rail, last := w.piece(o)
		lkey, _ := o.mine.rails[rail].Keys()
		piece := ibv.Piece{Local: o.local + uint64(o.posted), Remote: o.remote + uint64(o.posted), LKey: lkey,
			RKey: keyRemote(o.theirs, rail), Length: n, Token: uint64(i), Last: last,
			Notice: last && o.notice && !o.striped, Word: o.word}
		var s ibv.Sent
		if o.get {
			s = w.rails[rail].Read(o.peer.queue, &piece)
		} else {
			s = w.rails[rail].Write(o.peer.queue, &piece)
		}
		switch {
		case s == ibv.NoRoom:
			return false
		case s < 0:
			w.giveUp(o.peer, fmt.Sprintf("posting an RDMA request of %d bytes: %v", n, s.Err("ibv_post_send")))
			return true
		}
		o.posted += n
		if last {
			o.open++
		}
	}
	return true
}

// piece is the next request of an operation: its length, its rail, and whether it is the last of that
// rail. Rails take turns by segments of equal length.
func (w *wire) piece(o *op) (n, rail int, last bool) {
	if !o.striped {
		n = min(o.length-o.posted, w.set.segment)
		return n, 0, o.posted+n == o.length
	}
	share := min(((o.length+len(w.rails)-1)/len(w.rails)+63)&^63, w.set.segment)
	n = min(o.length-o.posted, share)
	rail = o.posted / share % len(w.rails)
	return n, rail, true
}

// advance posts more of what is waiting.
func (w *wire) advance() {
	for _, p := range w.byQ {
		for len(p.waiting) > 0 && w.post(p.waiting[0]) {
			p.waiting = p.waiting[:copy(p.waiting, p.waiting[1:])]
		}
	}
}

// pieceEnded notes that the last piece of a rail is in place.
func (w *wire) pieceEnded(p *peer, i int32) {
	o := &w.ops[i]
	if !o.used || o.peer != p {
		return
	}
	if o.open--; o.open > 0 || o.posted < o.length {
		return
	}
	if o.striped && o.notice {
		o.telling = true
		if len(p.waiting) > 0 || !w.told(i) {
			p.waiting = append(p.waiting, i)
		}
		return
	}
	if o.striped && !o.get {
		p.putting--
	}
	w.ended = append(w.ended, completion{o.token, nil})
	w.freeOp(i)
}

// told tells the peer of a striped put, which is in place on all rails, and ends it.
func (w *wire) told(i int32) bool {
	o := &w.ops[i]
	if !w.tell(o.peer, o.word) {
		return false
	}
	if o.peer.failed {
		return true // ends with all that was under way
	}
	w.ended = append(w.ended, completion{o.token, nil})
	w.freeOp(i)
	return true
}

func (w *wire) takeOp() int32 {
	if len(w.freeOps) == 0 {
		w.ops = append(w.ops, op{})
		return int32(len(w.ops) - 1)
	}
	i := w.freeOps[len(w.freeOps)-1]
	w.freeOps = w.freeOps[:len(w.freeOps)-1]
	return i
}

func (w *wire) freeOp(i int32) {
	w.ops[i] = op{}
	w.freeOps = append(w.freeOps, i)
}
