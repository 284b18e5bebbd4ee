package smem

import (
	"fmt"
	"slices"

	"gobench/internal/weakmem"
)

// bellModel is the part of a segment by which a rank sleeps until a peer has pushed a packet or the
// last one has said goodbye: the marks, the bell and what it sleeps in.
type bellModel struct {
	kind     uint64 // bellFutex or bellPipe
	rings    []*ringModel
	marks    *weakmem.Word
	bell     *weakmem.Word
	queue    *weakmem.Word // 1 while the rank is in the kernel's queue of the futex
	pipe     *weakmem.Word // bytes
	goodbyes *weakmem.Word
	goodbye  []*weakmem.Word
}

const seqCst = weakmem.SeqCst

// push is wire.Push: a packet, its mark and the bell.
func (b *bellModel) push(t *weakmem.Thread, index int, p *ringProducer, value uint64) {
	b.rings[index].push(t, p, value, 0)
	if t.Has("notify: fence behind the packet") {
		t.Barrier()
	}
	bit := uint64(1) << index
	if t.Load(b.marks, t.Order("mark: the mark is read behind the packet", seqCst))&bit == 0 {
		t.Update(b.marks, t.Order("mark: the bell is read behind the mark", seqCst), func(v uint64) uint64 { return v | bit })
	}
	t.At("marked", value)
	b.wake(t)
	t.At("pushed", value)
}

// wake is peer.wake.
func (b *bellModel) wake(t *weakmem.Thread) {
	bell := t.Load(b.bell, t.Order("wake: the bell is read behind the mark", seqCst))
	if bell == 0 || !t.CompareAndSwap(b.bell, bell, 0, 0) {
		return
	}
	if bell == bellPipe {
		t.Update(b.pipe, weakmem.Atomic, func(v uint64) uint64 { return v + 1 })
		return
	}
	t.Swap(b.queue, 0, weakmem.Atomic)
}

// leave is wire.Leave.
func (b *bellModel) leave(t *weakmem.Thread, index int) {
	t.Store(b.goodbye[index], 1, t.Order("leave: packets and marks before the goodbye", weakmem.Release))
	order := weakmem.Release | t.Order("Leave: the bell is read behind the count", seqCst)
	if t.Update(b.goodbyes, order, func(v uint64) uint64 { return v + 1 }) == uint64(len(b.rings))-1 {
		b.wake(t)
	}
}

// sleeper is the rank that receives.
type sleeper struct {
	*bellModel
	in   []position
	left []bool
	due  uint64
}

// drain takes at most a number of packets of one peer, and reports whether there may be more.
func (s *sleeper) drain(t *weakmem.Thread, index, limit int) (more bool) {
	for range limit {
		if !s.look(t, index) {
			return false
		}
		r, in := s.rings[index], &s.in[index]
		value := t.Read(r.slots[in.pos])
		t.Require(value == in.pos, "packet %d is %d", in.pos, value)
		in.pos++
	}
	return s.look(t, index)
}

func (s *sleeper) look(t *weakmem.Thread, index int) bool {
	r, in := s.rings[index], &s.in[index]
	if s.all(index) {
		return false
	}
	order := t.Order("look: word before packet", weakmem.Acquire) | t.Order("look: the ring is read behind the marks", seqCst)
	return t.Load(r.words[in.pos], order) != 0
}

// poll is wire.marked, with a burst of one packet.
func (s *sleeper) poll(t *weakmem.Thread) {
	if t.Load(s.marks, 0) == 0 {
		return
	}
	set := t.Swap(s.marks, 0, t.Order("marked: the ring is read behind the marks", seqCst))
	for index := range s.rings {
		if set>>index&1 == 0 {
			continue
		}
		if s.drain(t, index, 1) && t.Has("marked: more packets are marked again") {
			t.Update(s.marks, 0, func(v uint64) uint64 { return v | 1<<index })
		}
	}
}

// idle is wire.Idle: the goodbyes, and before each the packets that are marked. It reports whether
// all peers have left.
func (s *sleeper) idle(t *weakmem.Thread) bool {
	all := true
	for index := range s.rings {
		if !s.left[index] {
			s.left[index] = t.Load(s.goodbye[index], t.Order("Idle: the goodbye before marks and packets", weakmem.Acquire)) != 0
			if s.left[index] && t.Load(s.marks, 0)>>index&1 != 0 {
				s.drain(t, index, len(s.rings[index].words))
			}
		}
		t.Require(!s.left[index] || s.all(index), "the goodbye of peer %d overtakes its packets", index)
		all = all && s.left[index]
	}
	return all
}

// all reports whether all packets of a peer have arrived.
func (s *sleeper) all(index int) bool { return int(s.in[index].pos) == len(s.rings[index].words) }

// waiting is wire.waiting.
func (s *sleeper) waiting(t *weakmem.Thread) bool {
	if !t.Has("waiting: what came before the bell does not ring it") {
		return false
	}
	if t.Load(s.marks, t.Order("waiting: marks are read behind the bell", seqCst)) != 0 {
		return true
	}
	return t.Load(s.goodbyes, weakmem.Acquire|t.Order("waiting: goodbyes are read behind the bell", seqCst)) == uint64(len(s.rings))
}

// asleep is blocking.Word.Announce.
func (s *sleeper) asleep(t *weakmem.Thread) {
	t.Store(s.bell, s.kind, t.Order("asleep: marks are read behind the bell", seqCst))
}

// block is wire.Block without a time limit.
func (s *sleeper) block(t *weakmem.Thread) {
	s.asleep(t)
	if !s.waiting(t) {
		// futex(2) compares the word and enters the queue under the lock that a wake takes.
		t.Update(s.queue, weakmem.Atomic, func(uint64) uint64 {
			if s.bell.Value() == s.kind {
				return 1
			}
			return 0
		})
		t.Await(s.queue, weakmem.Acquire, func(v uint64) bool { return v == 0 })
	}
	t.Store(s.bell, 0, 0)
}

// sleep is Arm, poll(2) without a time limit, and Disarm.
func (s *sleeper) sleep(t *weakmem.Thread) {
	s.asleep(t)
	if !s.waiting(t) {
		t.Await(s.pipe, weakmem.Acquire, func(v uint64) bool { return v > 0 })
	}
	if t.Swap(s.bell, 0, 0) == 0 {
		s.due++
	}
	if s.due > 0 {
		n := t.Swap(s.pipe, 0, weakmem.Atomic)
		t.Require(n <= s.due, "%d bytes of %d peers", n, s.due)
		s.due -= n
	}
}

// bellModelOf is a model of a rank that sleeps while it waits for the packets of its peers, of
// which each pushes a number. A peer that waits for an answer says goodbye after it, so that this
// does not wake a rank that has missed a packet.
func bellModelOf(kind uint64, full, answers bool, packets ...int) weakmem.Model {
	return weakmem.Model{Name: fmt.Sprint("bell ", kind, " ", packets), Full: full, Build: func(m *weakmem.Machine) {
		b := &bellModel{
			kind: kind, marks: m.Word("marks", 0), bell: m.Word("bell", 0), queue: m.Word("queue", 0), pipe: m.Word("pipe", 0),
			goodbyes: m.Word("goodbyes", 0), goodbye: m.Words("goodbye", len(packets)),
		}
		answer := m.Word("answer", 0)
		for index, n := range packets {
			b.rings = append(b.rings, newRingModel(m, n, 0))
			m.Thread(fmt.Sprint("peer ", index), func(t *weakmem.Thread) {
				p := b.rings[index].producer()
				for i := range n {
					b.push(t, index, p, uint64(i))
				}
				if answers {
					t.Await(answer, weakmem.Acquire, func(v uint64) bool { return v == 1 })
				}
				b.leave(t, index)
			})
		}
		s := &sleeper{bellModel: b}
		m.Thread("sleeper", func(t *weakmem.Thread) {
			s.in, s.left = make([]position, len(packets)), make([]bool, len(packets))
			answered := false
			for {
				t.At("poll", s.in, s.left, s.due)
				s.poll(t)
				if received := !slices.Contains(s.in, position{}) && s.all(0); received && !answered {
					t.Store(answer, 1, weakmem.Release)
					answered = true
				}
				t.At("idle", s.in, s.left, s.due)
				if s.idle(t) {
					return
				}
				t.At("sleep", s.in, s.left, s.due)
				if kind == bellPipe {
					s.sleep(t)
				} else {
					s.block(t)
				}
			}
		})
		m.Finally(func() {
			if kind == bellPipe && b.pipe.Value() != s.due {
				panic(fmt.Sprintf("%d bytes are in the pipe, %d are expected", b.pipe.Value(), s.due))
			}
		})
	}}
}
