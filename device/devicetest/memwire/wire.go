package memwire

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"gobench/device/protocol"
)

// wire is one rank's end.
type wire struct {
	world   *world
	rank    int
	rnd     *rand.Rand
	told    []bool // which dead peers were reported
	order   []int  // of polling, shuffled each time
	scratch []byte // the packet that is being delivered
	pending []transfer
	ended   []transfer // scratch of complete
	inside  bool       // a Poll or Idle is under way
}

func newWire(w *world, rank int, rnd *rand.Rand) *wire {
	n := len(w.queues)
	x := &wire{world: w, rank: rank, rnd: rnd, told: make([]bool, n), order: make([]int, n), scratch: make([]byte, w.Packet)}
	for i := range x.order {
		x.order[i] = i
	}
	return x
}

func (x *wire) chance(c uint8) bool { return uint8(x.rnd.Uint32()) < c }

func (x *wire) Limits() protocol.Limits { return x.world.limits() }

func (x *wire) Push(peer int, h protocol.Header, data []byte) bool {
	w := x.world
	w.Lock()
	defer w.Unlock()
	x.own("Push")
	switch {
	case peer == x.rank:
		panic("memwire: a packet to the own rank")
	case len(data) > w.Packet:
		panic(fmt.Sprintf("memwire: a packet of %d bytes, the limit is %d", len(data), w.Packet))
	case x.told[peer] || w.closed[peer]:
		return true // dropped
	}
	q := &w.queues[peer][x.rank]
	if q.full() || x.chance(w.NoRoom) {
		return false
	}
	// A put that was started before must be in place before this packet.
	for i := range x.pending {
		if t := &x.pending[i]; t.put && t.peer == peer {
			x.move(t)
		}
	}
	q.put(h, data)
	return true
}

func (x *wire) Poll(from int, sink protocol.Sink) bool {
	if x.inside {
		panic("memwire: Poll from within Poll")
	}
	x.inside = true
	defer func() { x.inside = false }()
	moved := x.complete(sink)
	x.rnd.Shuffle(len(x.order), func(i, j int) { x.order[i], x.order[j] = x.order[j], x.order[i] })
	for _, src := range x.order {
		if src == x.rank || x.told[src] || x.chance(x.world.Withhold) {
			continue
		}
		for n := 1 + x.rnd.IntN(3); n > 0; n-- {
			h, data, ok := x.next(src)
			if !ok {
				break
			}
			moved = true
			deliver(sink, src, h, data)
			for i := range data { // it was valid during the call only
				data[i] = 0xdb
			}
		}
	}
	return moved
}

func (x *wire) next(src int) (h protocol.Header, data []byte, ok bool) {
	w := x.world
	w.Lock()
	defer w.Unlock()
	x.own("Poll")
	q := &w.queues[x.rank][src]
	if q.size == 0 {
		return h, nil, false
	}
	h, data = q.take(x.scratch)
	return h, data, true
}

// Idle reports peers that are dead, whose packets that were not polled yet are lost, and peers that
// have closed their wire, once their packets have been polled.
func (x *wire) Idle(sink protocol.Sink) {
	w := x.world
	for peer := range x.told {
		w.Lock()
		x.own("Idle")
		cause := ""
		switch {
		case peer == x.rank || x.told[peer]:
		case w.dead[peer]:
			cause = "it was killed"
		case w.closed[peer] && w.queues[x.rank][peer].size == 0:
			cause = "it has closed its wire"
		}
		w.Unlock()
		if cause != "" {
			x.told[peer] = true
			sink.Failed(peer, cause)
		}
	}
}

func (x *wire) kill() {
	x.world.Lock()
	x.world.dead[x.rank] = true
	x.world.Unlock()
}

// own checks that the wire is open. The caller holds the lock.
func (x *wire) own(call string) {
	if x.world.closed[x.rank] {
		panic("memwire: " + call + " after Close")
	}
}

func (x *wire) Close() error {
	w := x.world
	w.Lock()
	defer w.Unlock()
	x.own("Close")
	w.closed[x.rank] = true
	left := 0
	for _, r := range w.memory {
		if r.owner == x.rank {
			left++
		}
	}
	if left > 0 {
		return errors.New("memwire: memory is still registered at Close")
	}
	return nil
}
