package memwire

import (
	"errors"

	"gobench/device/protocol"
)

// transfer is a Put or Get that was answered with Pending.
type transfer struct {
	token   uint64
	peer    int
	put     bool
	moved   bool
	far     protocol.Key
	offset  int
	near    []byte
	nearKey uint64
	polls   int // until it ends
}

// errRefused is the error of a refused registration.
var errRefused = errors.New("memwire: registration refused")

func (x *wire) Register(buf []byte) (protocol.Key, error) {
	w := x.world
	w.Lock()
	defer w.Unlock()
	x.own("Register")
	if len(w.Methods) == 0 || x.chance(w.Refuse) {
		return protocol.Key{}, errRefused
	}
	w.regions++
	w.memory[w.regions] = region{x.rank, buf}
	return protocol.Key{w.regions, 1, 2, 3}, nil
}

func (x *wire) Deregister(key protocol.Key) {
	w := x.world
	w.Lock()
	defer w.Unlock()
	x.own("Deregister")
	x.world.reach(x.rank, key, 0, 0)
	for i := range x.pending {
		if t := &x.pending[i]; t.nearKey == key[0] && !w.dead[t.peer] {
			panic("memwire: memory of a pending transfer is deregistered")
		}
	}
	delete(w.memory, key[0])
}

func (x *wire) Put(peer int, dst protocol.Key, offset int, src []byte, srcKey protocol.Key, token uint64) protocol.Started {
	return x.start(transfer{token: token, peer: peer, put: true, far: dst, offset: offset, near: src}, srcKey)
}

func (x *wire) Get(peer int, src protocol.Key, offset int, dst []byte, dstKey protocol.Key, token uint64) protocol.Started {
	return x.start(transfer{token: token, peer: peer, far: src, offset: offset, near: dst}, dstKey)
}

func (x *wire) start(t transfer, near protocol.Key) protocol.Started {
	w := x.world
	w.Lock()
	defer w.Unlock()
	x.own("Put or Get")
	w.reach(x.rank, near, 0, len(t.near))
	t.nearKey = near[0]
	if x.chance(w.Busy) {
		return protocol.Busy
	}
	if w.dead[t.peer] || w.closed[t.peer] || x.chance(w.Pending) {
		t.polls = x.rnd.IntN(w.Late + 1)
		if !t.put { // the wire owns the buffer until the transfer ends
			for i := range t.near {
				t.near[i] = 0xdd
			}
		}
		x.pending = append(x.pending, t)
		return protocol.Pending
	}
	x.move(&t)
	return protocol.Done
}

// move copies the data of a transfer once. The caller holds the lock.
func (x *wire) move(t *transfer) {
	if t.moved || x.world.dead[t.peer] || x.world.closed[t.peer] {
		return
	}
	t.moved = true
	far := x.world.reach(t.peer, t.far, t.offset, len(t.near))
	if t.put {
		copy(far, t.near)
	} else {
		copy(t.near, far)
	}
}

// complete ends the transfers that are due, in random order, and reports them to the protocol
// without holding the lock.
func (x *wire) complete(sink protocol.Sink) bool {
	w := x.world
	w.Lock()
	x.own("Poll")
	x.rnd.Shuffle(len(x.pending), func(i, j int) { x.pending[i], x.pending[j] = x.pending[j], x.pending[i] })
	x.ended = x.ended[:0]
	keep := x.pending[:0]
	for i := range x.pending {
		t := x.pending[i]
		if t.polls--; t.polls > 0 {
			keep = append(keep, t)
			continue
		}
		x.move(&t)
		x.ended = append(x.ended, t)
	}
	x.pending = keep
	w.Unlock()
	for _, t := range x.ended {
		if t.moved {
			sink.Completed(t.token, nil)
		} else {
			sink.Completed(t.token, errors.New("the peer is gone"))
		}
	}
	return len(x.ended) > 0
}
