package smem

import (
	"errors"
	"fmt"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/device/protocol"
	"gobench/internal/sharedmem"
)

// reach is the kind of access to the ordinary memory of peers.
type reach uint8

const (
	reachNone   reach = iota // not at all: only memory from Alloc
	reachCMA                 // process_vm_readv and process_vm_writev (cross memory attach)
	reachDirect              // in the same address space
)

// The kinds of a Key, in the low half of its first word.
const (
	keyAddress = 1 // Key[1] is an address
	keyRegion  = 2 // of a region: Key[0]>>32 its descriptor, Key[1] its nonce, Key[2] an offset
)

// errOrdinary is allocated once, because Register returns it for every long message where cross
// memory attach is off.
var errOrdinary = errors.New("transport smem: peers cannot reach ordinary memory here (cma is off)")

// Register implements protocol.RMA. It pins no memory: a key is only a description.
func (w *wire) Register(buf []byte) (protocol.Key, error) {
	length := uint64(len(buf))
	if w.reach != reachDirect && w.fenced == "" {
		if r, offset := w.regions.find(buf); r != nil {
			return protocol.Key{keyRegion | uint64(r.fd)<<32, r.nonce, uint64(offset), length}, nil
		}
	}
	if w.reach == reachNone {
		return protocol.Key{}, errOrdinary
	}
	return protocol.Key{keyAddress, uint64(address(buf)), 0, length}, nil
}

// Deregister implements protocol.RMA.
func (w *wire) Deregister(protocol.Key) {}

// Put implements protocol.RMA.
func (w *wire) Put(to int, dst protocol.Key, offset int, src []byte, _ protocol.Key, token uint64) protocol.Started {
	return w.start(transfer{peer: to, write: true, key: dst, offset: uint64(offset), local: src, token: token})
}

// Get implements protocol.RMA.
func (w *wire) Get(from int, src protocol.Key, offset int, dst []byte, _ protocol.Key, token uint64) protocol.Started {
	return w.start(transfer{peer: from, key: src, offset: uint64(offset), local: dst, token: token})
}

// A transfer is a put or a get under way. This rank's core does all the work: start moves the first
// chunk in the call of the protocol, and if it was not all, the transfer waits in jobs, where each
// Poll moves one chunk of the oldest and puts it behind the others. Invariants:
//
//	a transfer that was Pending is in jobs until Completed is called for it, once, or until its peer
//	is severed, which drops it;
//	holding of its peer counts the puts in jobs, so that no packet overtakes one;
//	key[3] bounds all accesses, and the size of the mapping those of a region: a key is what a peer
//	says, and is checked at each chunk;
//	memory of a peer that has closed is not trusted: a put looks before it writes, and a get also
//	after it has read, because the peer may reuse the memory meanwhile.
type transfer struct {
	peer   int
	write  bool
	key    protocol.Key
	offset uint64 // of the next byte, into the memory of key
	local  []byte // what is still to be moved
	token  uint64
	err    error // it has failed and waits to be reported
}

// chunk bounds the bytes that one call moves, in less than a millisecond, so that other peers are
// served in between.
const chunk = 8 << 20

// start moves the first chunk. What is left goes on in Poll.
func (w *wire) start(t transfer) protocol.Started {
	switch {
	case w.peers[t.peer].dead:
		t.err = &device.PeerError{Rank: t.peer, Cause: "it was lost before"}
	case t.offset > t.key[3] || uint64(len(t.local)) > t.key[3]-t.offset:
		t.err = &device.ProtocolError{Rank: t.peer, Detail: "a transfer reaches past the end of registered memory"}
	default:
		t.err = w.move(&t)
	}
	if t.err == nil && len(t.local) == 0 {
		return protocol.Done
	}
	w.jobs = append(w.jobs, t)
	if t.write {
		w.peers[t.peer].holding++
	}
	return protocol.Pending
}

// jobs are the transfers that are not finished, or not reported yet.
type jobs []transfer

// pending reports whether a Poll has transfers to move or to report.
func (j jobs) pending() bool { return len(j) != 0 }

// advance moves one chunk of the oldest transfer, which then goes to the end of the queue, or
// reports the end of the transfer.
func (w *wire) advance(sink protocol.Sink) bool {
	t := w.jobs[0]
	copy(w.jobs, w.jobs[1:])
	last := len(w.jobs) - 1
	w.jobs[last] = transfer{}
	w.jobs = w.jobs[:last]

	if t.err == nil && len(t.local) != 0 {
		if w.peers[t.peer].dead {
			t.err = &device.PeerError{Rank: t.peer, Cause: "it was lost during a transfer"}
		} else {
			t.err = w.move(&t)
		}
		if t.err == nil && len(t.local) != 0 {
			w.jobs = append(w.jobs, t)
			return true
		}
	}
	if t.write {
		w.peers[t.peer].holding--
	}
	sink.Completed(t.token, t.err)
	return true
}

// direct copies between memory of the peer and as much of this rank, by the routine that reads what
// the peer has written: in both directions that is the faster one (docs/notes/smem.md).
func (p *peer) direct(write bool, there, local []byte) {
	if write {
		p.fetch.copy(there, local)
	} else {
		p.fetch.copy(local, there[:len(local)])
	}
}

// move moves up to one chunk and shortens t by it.
func (w *wire) move(t *transfer) error {
	n := min(len(t.local), chunk)
	if n == 0 {
		return nil
	}
	local := t.local[:n]
	// A peer that has closed may use its memory for something else.
	left := func() error {
		if w.peers[t.peer].segment.closed() {
			return &device.PeerError{Rank: t.peer, Cause: "it has closed its device"}
		}
		return nil
	}
	if err := left(); err != nil {
		return err
	}
	switch uint32(t.key[0]) {
	case keyAddress:
		remote := uintptr(t.key[1] + t.offset)
		switch w.reach {
		case reachDirect:
			there := memoryAt(remote, n)
			w.peers[t.peer].direct(t.write, there, local)
		case reachCMA:
			w.watch.confirm(t.peer, time.Now())
			if w.watch.ended(t.peer) {
				return transferError(t.peer, w.peers[t.peer].endpoint.PID, unix.ESRCH)
			}
			if err := sharedmem.Copy(w.peers[t.peer].endpoint.PID, local, remote, t.write); err != nil {
				return transferError(t.peer, w.peers[t.peer].endpoint.PID, err)
			}
		default:
			return fmt.Errorf("transport smem: rank %d named ordinary memory, which cannot be reached here", t.peer)
		}
	case keyRegion:
		p := &w.peers[t.peer]
		mapped, err := p.mapped.find(p, int(t.key[0]>>32), t.key[1])
		if err != nil {
			return fmt.Errorf("transport smem: memory of rank %d cannot be mapped: %w", t.peer, err)
		}
		mem := mapped.mem
		from := t.key[2] + t.offset
		if from > uint64(len(mem)) || uint64(n) > uint64(len(mem))-from {
			return &device.ProtocolError{Rank: t.peer, Detail: "a transfer reaches past the end of a shared region"}
		}
		p.direct(t.write, mem[from:], local)
	default:
		return &device.ProtocolError{Rank: t.peer, Detail: fmt.Sprintf("memory key of unknown kind %d", uint32(t.key[0]))}
	}
	if !t.write {
		if err := left(); err != nil {
			return err
		}
	}
	t.local = t.local[n:]
	t.offset += uint64(n)
	return nil
}

// transferError explains a failed sharedmem.Copy.
func transferError(rank, pid int, err error) error {
	switch err {
	case unix.ESRCH:
		return &device.PeerError{Rank: rank, Cause: fmt.Sprintf("process %d has ended", pid)}
	case unix.EFAULT:
		return &device.PeerError{Rank: rank, Cause: fmt.Sprintf("the memory that it registered is gone from process %d", pid)}
	}
	return fmt.Errorf("transport smem: copying memory of rank %d (process %d): %w", rank, pid, err)
}

// admitSiblings allows other ranks of the launcher to access this process if Yama restricts access
// to ancestors (ptrace_scope 1, the default of Ubuntu). Without Yama it has no effect. It has not
// been tested on a kernel with Yama.
func admitSiblings() {
	unix.Prctl(unix.PR_SET_PTRACER, uintptr(os.Getppid()), 0, 0, 0)
}

// Cross memory attach may be forbidden by Yama, by a seccomp filter, by user namespaces or by the
// absence of the call, which differ in their errors and not in what follows: all messages between
// the ranks of the group take another path, because a transfer needs both sides.
//
// probeCMA tries both calls on the segment of a peer, which is mapped at address there in the peer.
func probeCMA(p *peer) error {
	var word [8]byte
	if err := sharedmem.Copy(p.endpoint.PID, word[:], uintptr(p.endpoint.Address)+wordNonce, false); err != nil {
		return fmt.Errorf("process_vm_readv: %w", err)
	}
	if *(*uint64)(unsafe.Pointer(&word)) != p.endpoint.Nonce {
		return fmt.Errorf("process_vm_readv reads other memory than process %d announced", p.endpoint.PID)
	}
	if err := sharedmem.Copy(p.endpoint.PID, word[:], uintptr(p.endpoint.Address)+wordScratch, true); err != nil {
		return fmt.Errorf("process_vm_writev: %w", err)
	}
	return nil
}

// memoryAt is n bytes of this address space that another rank has registered.
func memoryAt(addr uintptr, n int) []byte {
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&addr)), n)
}
