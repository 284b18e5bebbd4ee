//go:build verbs && cgo

package verbs

import (
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"

	"gobench/device/protocol"
	"gobench/transports/native/registration"
	"gobench/transports/native/rma"
	"gobench/transports/verbs/ibv"
)

// keyRemote returns the remote key of a rail from the second half of a key.
func keyRemote(k protocol.Key, rail int) uint32 {
	return uint32(k[2+rail/2] >> (32 * (rail % 2)))
}

// transfers are the puts and gets of a rank: RDMA writes and reads.
type transfers struct {
	rma.Transfers
	q      *queues
	memory *memory
}

// stripe is the minimum length that is striped over several rails.
const stripe = 64 << 10

// Notifies implements protocol.Notifier.
func (t *transfers) Notifies() bool { return t.q.set.notice == "on" }

// Apart implements rma.Adapter: order is not preserved between rails.
func (t *transfers) Apart(n int) bool { return len(t.q.rails) > 1 && n >= stripe }

// SendNotice implements rma.Adapter by an empty write with immediate data.
func (t *transfers) SendNotice(to *rma.Peer, word uint32) bool {
	p := t.q.peers[to.Rank]
	piece := ibv.Piece{Remote: p.remote[0].landing, RKey: p.remote[0].rkey, Notice: true, Word: word}
	s := t.q.rails[0].Write(p.queue, &piece)
	if s < 0 {
		t.q.GiveUp(to, "posting a notice: "+s.Err("ibv_post_send").Error())
	}
	return s != ibv.NoRoom
}

// Post implements rma.Adapter. The last write of a put on one rail carries the word of a notice as
// its immediate data.
func (t *transfers) Post(i int32, o *rma.Op) bool {
	queue, mine := t.q.peers[o.Peer.Rank].queue, &t.memory.At(rma.Handle(o.Mine)).Memory
	local := uint64(address(o.Buf))
	for o.Posted < len(o.Buf) {
		n, rail, last := t.piece(o)
		lkey, _ := mine.rails[rail].Keys()
		piece := ibv.Piece{Local: local + uint64(o.Posted), Remote: o.Remote + uint64(o.Posted), LKey: lkey,
			RKey: keyRemote(o.Theirs, rail), Length: n, Token: uint64(i), Last: last,
			Notice: last && o.Notice && !o.Apart, Word: o.Word}
		var s ibv.Sent
		if o.Get {
			s = t.q.rails[rail].Read(queue, &piece)
		} else {
			s = t.q.rails[rail].Write(queue, &piece)
		}
		switch {
		case s == ibv.NoRoom:
			return false
		case s < 0:
			t.q.GiveUp(o.Peer, fmt.Sprintf("posting an RDMA request of %d bytes: %v", n, s.Err("ibv_post_send")))
			return true
		}
		o.Posted += n
		if last {
			o.Open++
		}
	}
	return true
}

// piece returns the next request of an operation: its length, its rail, and whether it is the last
// of that rail. Rails alternate by segments of equal length.
func (t *transfers) piece(o *rma.Op) (n, rail int, last bool) {
	if !o.Apart {
		n = min(len(o.Buf)-o.Posted, t.q.set.segment)
		return n, 0, o.Posted+n == len(o.Buf)
	}
	share := min(((len(o.Buf)+len(t.q.rails)-1)/len(t.q.rails)+63)&^63, t.q.set.segment)
	n = min(len(o.Buf)-o.Posted, share)
	rail = o.Posted / share % len(t.q.rails)
	return n, rail, true
}

// pieceEnded records that the last piece on a rail is complete.
func (t *transfers) pieceEnded(p *peer, i int32) {
	if o := t.Of(i); o != nil && o.Peer == &p.Peer {
		t.PieceEnded(i, false)
	}
}

func address(b []byte) uintptr { return registration.Address(b) }

// railMemory is memory that is registered with every rail.
type railMemory struct {
	rails [maxRails]ibv.Memory
	n     int // rails in use
}

// memory is the registered memory of a rank.
type memory = rma.Memory[railMemory]

func newMemory(q *queues) memory {
	return rma.NewMemory(registration.New(q.register, (*railMemory).drop), (*railMemory).key)
}

// register registers [start, end) with every rail.
func (q *queues) register(start, end uintptr) (r railMemory, err error) {
	for i, rail := range q.rails {
		k, err := rail.Register(start, end-start)
		if err != nil {
			r.drop()
			return r, explainRegistration(int(end-start), err)
		}
		r.rails[i] = k
		r.n++
	}
	return r, nil
}

// key returns the remote keys of the rails.
func (r *railMemory) key() (k [2]uint64) {
	for i := range r.n {
		_, rkey := r.rails[i].Keys()
		k[i/2] |= uint64(rkey) << (32 * (i % 2))
	}
	return k
}

func (r *railMemory) drop() {
	for i := range r.n {
		r.rails[i].Deregister()
	}
	r.n = 0
}

func explainRegistration(n int, err error) error {
	return fmt.Errorf("registering %d bytes: %w", n, explainLocked(err))
}

// explainLocked adds the limit of locked memory, which registered memory and, with many adapters,
// queues are charged to.
func explainLocked(err error) error {
	if call, ok := errors.AsType[*ibv.CallError](err); ok && (call.Errno == syscall.ENOMEM || call.Errno == syscall.EPERM) {
		var l unix.Rlimit
		if unix.Getrlimit(unix.RLIMIT_MEMLOCK, &l) == nil && l.Cur != unix.RLIM_INFINITY {
			return fmt.Errorf("%w; registered memory counts against the limit of locked memory (ulimit -l), which is %d bytes: raise it", err, l.Cur)
		}
	}
	return err
}
