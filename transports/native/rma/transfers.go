//go:build cgo && (verbs || gni)

package rma

import (
	"fmt"

	"gobench/device/protocol"
	"gobench/transports/native/registration"
)

// A key begins with the address, and the length (40 bits) with the handle of the registered memory
// (24 bits). The rest is the network's.
const lengthBits = 40

// newKey returns the first half of the key of a buffer in registered memory.
func newKey(buf []byte, handle int32) protocol.Key {
	return protocol.Key{uint64(registration.Address(buf)), uint64(len(buf)) | uint64(handle)<<lengthBits}
}

// Handle returns the handle of the memory of a key.
func Handle(k protocol.Key) int32 { return int32(k[1] >> lengthBits) }

func length(k protocol.Key) uint64 { return k[1] & (1<<lengthBits - 1) }

// An Op is a put or get in progress.
type Op struct {
	Get    bool
	Peer   *Peer
	Buf    []byte
	Remote uint64 // address at the peer
	Theirs protocol.Key
	Mine   protocol.Key
	Posted int  // bytes
	Open   int  // outstanding pieces, of those whose completion is reported
	Apart  bool // its pieces may arrive after later packets
	Notice bool // the peer is notified by Word when all data is written
	Word   uint32

	token    uint64
	used     bool
	noticing bool // all data is written, and the notice is not sent yet
	broken   bool // a piece has failed
}

// An Adapter posts the pieces of transfers.
type Adapter interface {
	// Apart reports whether pieces of a transfer of n bytes may arrive after later packets.
	Apart(n int) bool
	// Post posts pieces of a transfer while there is room. It reports whether all are posted or the
	// peer has failed.
	Post(i int32, o *Op) bool
	// SendNotice sends a notice. It reports false if there is no room now.
	SendNotice(p *Peer, word uint32) bool
}

// Transfers holds the puts and gets of a rank. The number of a transfer is its index.
type Transfers struct {
	Ended protocol.Completions

	adapter Adapter
	byRank  []*Peer // nil for ranks that the wire does not connect
	peers   []*Peer
	ops     []Op
	free    []int32
}

// Prepare sets the adapter and the number of ranks.
func (t *Transfers) Prepare(a Adapter, size int) { t.adapter, t.byRank = a, make([]*Peer, size) }

// Add adds a peer.
func (t *Transfers) Add(p *Peer) { t.byRank[p.Rank], t.peers = p, append(t.peers, p) }

// Put implements protocol.RMA.
func (t *Transfers) Put(to int, dst protocol.Key, offset int, src []byte, srcKey protocol.Key, token uint64) protocol.Started {
	return t.start(to, offset, Op{Buf: src, Theirs: dst, Mine: srcKey, token: token})
}

// Get implements protocol.RMA.
func (t *Transfers) Get(from int, src protocol.Key, offset int, dst []byte, dstKey protocol.Key, token uint64) protocol.Started {
	return t.start(from, offset, Op{Get: true, Buf: dst, Theirs: src, Mine: dstKey, token: token})
}

// PutNotice implements protocol.Notifier.
func (t *Transfers) PutNotice(to int, dst protocol.Key, offset int, src []byte, srcKey protocol.Key, token uint64, word uint32) protocol.Started {
	return t.start(to, offset, Op{Buf: src, Theirs: dst, Mine: srcKey, token: token, Notice: true, Word: word})
}

// Notice implements protocol.Notifier.
func (t *Transfers) Notice(to int, word uint32) bool {
	p := t.byRank[to]
	if p.Failed {
		return true
	}
	return !p.Blocked() && t.adapter.SendNotice(p, word)
}

func (t *Transfers) start(peer, offset int, o Op) protocol.Started {
	p := t.byRank[peer]
	if p.Failed {
		t.Ended.Add(o.token, p.lost())
		return protocol.Pending
	}
	if size := length(o.Theirs); offset < 0 || uint64(offset) > size || uint64(len(o.Buf)) > size-uint64(offset) {
		t.Ended.Add(o.token, fmt.Errorf("%d bytes at offset %d do not fit the buffer of %d bytes of rank %d", len(o.Buf), offset, size, peer))
		return protocol.Pending
	}
	if len(o.Buf) == 0 {
		return protocol.Done
	}
	o.used, o.Peer, o.Remote, o.Apart = true, p, o.Theirs[0]+uint64(offset), t.adapter.Apart(len(o.Buf))
	if o.overtaken() {
		p.apart++
	}
	i := t.take()
	t.ops[i] = o
	if len(p.waiting) > 0 || !t.post(i) {
		p.waiting = append(p.waiting, i)
	}
	return protocol.Pending
}

// overtaken reports whether a later packet may arrive before the data is written.
func (o *Op) overtaken() bool { return o.Apart && !o.Get && !o.Notice }

// post posts as many transfers as there is room for, and reports whether all are posted.
func (t *Transfers) post(i int32) bool {
	if o := &t.ops[i]; !o.noticing {
		return t.adapter.Post(i, o)
	}
	return t.notify(i)
}

// Advance posts pieces that had to wait for room.
func (t *Transfers) Advance() {
	for _, p := range t.peers {
		for len(p.waiting) > 0 && t.post(p.waiting[0]) {
			p.waiting = p.waiting[:copy(p.waiting, p.waiting[1:])]
		}
	}
}

// Of returns the transfer with a number, nil if it is complete.
func (t *Transfers) Of(i int32) *Op {
	if o := &t.ops[i]; o.used {
		return o
	}
	return nil
}

// PieceEnded handles the completion of a piece. If a piece has failed, its transfer ends when its
// peer is failed.
func (t *Transfers) PieceEnded(i int32, failed bool) {
	o := &t.ops[i]
	o.broken = o.broken || failed
	if o.Open--; o.Open > 0 {
		return
	}
	if !o.used { // its peer has failed before
		t.release(i)
		return
	}
	if o.broken || o.Posted < len(o.Buf) {
		return
	}
	if o.Apart && o.Notice {
		o.noticing = true
		if len(o.Peer.waiting) > 0 || !t.notify(i) {
			o.Peer.waiting = append(o.Peer.waiting, i)
		}
		return
	}
	if o.overtaken() {
		o.Peer.apart--
	}
	t.Ended.Add(o.token, nil)
	t.release(i)
}

// notify sends the notice of a completed put, and ends the put.
func (t *Transfers) notify(i int32) bool {
	o := &t.ops[i]
	if !t.adapter.SendNotice(o.Peer, o.Word) {
		return false
	}
	if o.Peer.Failed {
		return true // ends with all that was under way
	}
	t.Ended.Add(o.token, nil)
	t.release(i)
	return true
}

// EndAll ends the transfers of a failed peer. later reports that the adapter still has pieces,
// which complete later.
func (t *Transfers) EndAll(p *Peer, later bool) {
	p.waiting, p.apart = p.waiting[:0], 0
	for i := range t.ops {
		if o := &t.ops[i]; o.used && o.Peer == p {
			t.Ended.Add(o.token, p.lost())
			o.used, o.Buf = false, nil
			if o.Open == 0 || !later {
				t.release(int32(i))
			}
		}
	}
}

func (t *Transfers) take() int32 {
	if len(t.free) == 0 {
		t.ops = append(t.ops, Op{})
		return int32(len(t.ops) - 1)
	}
	i := t.free[len(t.free)-1]
	t.free = t.free[:len(t.free)-1]
	return i
}

func (t *Transfers) release(i int32) {
	t.ops[i] = Op{}
	t.free = append(t.free, i)
}
