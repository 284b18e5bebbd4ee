package memwire

import (
	"sync"

	"gobench/device/protocol"
)

// world is the state that the ranks of a job share, guarded by the mutex.
type world struct {
	sync.Mutex
	Hostility
	queues  [][]queue // by receiver, by sender
	dead    []bool    // by rank
	closed  []bool    // by rank
	memory  map[uint64]region
	regions uint64
}

// region is registered memory.
type region struct {
	owner int
	buf   []byte
}

// queue is a ring of packets from one sender to one receiver.
type queue struct {
	slots       []slot
	first, size int
}

type slot struct {
	h    protocol.Header
	data []byte
	room []byte
}

func newWorld(size int, h Hostility) *world {
	w := &world{Hostility: h, queues: make([][]queue, size), dead: make([]bool, size), closed: make([]bool, size),
		memory: map[uint64]region{}}
	for i := range w.queues {
		w.queues[i] = make([]queue, size)
		for j := range w.queues[i] {
			slots := make([]slot, h.Queue)
			for k := range slots {
				slots[k].room = make([]byte, h.Packet)
			}
			w.queues[i][j].slots = slots
		}
	}
	return w
}

func (q *queue) full() bool { return q.size == len(q.slots) }

func (q *queue) put(h protocol.Header, data []byte) {
	s := &q.slots[(q.first+q.size)%len(q.slots)]
	s.h = h
	s.data = s.room[:copy(s.room, data)]
	q.size++
}

func (q *queue) take(into []byte) (protocol.Header, []byte) {
	s := &q.slots[q.first]
	q.first = (q.first + 1) % len(q.slots)
	q.size--
	return s.h, into[:copy(into, s.data)]
}

// reach returns n bytes at offset of the memory that owner has registered
// under key.
func (w *world) reach(owner int, key protocol.Key, offset, n int) []byte {
	r, ok := w.memory[key[0]]
	switch {
	case !ok:
		panic("memwire: use of a key that is not registered")
	case r.owner != owner:
		panic("memwire: a key of another rank")
	case offset < 0 || offset+n > len(r.buf):
		panic("memwire: access outside of registered memory")
	}
	return r.buf[offset : offset+n]
}
