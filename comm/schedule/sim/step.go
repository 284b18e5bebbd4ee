package sim

import (
	"fmt"
	"slices"

	"gobench/comm/schedule"
)

// step does one instruction of a rank, or finds that it must wait.
func (w *world) step(me int) (moved bool, err error) {
	r := w.ranks[me]
	if r.next == len(r.program.Instrs) {
		return false, nil
	}
	i := &r.program.Instrs[r.next]
	switch i.Code {
	case schedule.Isend, schedule.Irecv:
		if r.slots[i.Slot] != nil {
			return false, fmt.Errorf("request %d is started twice", i.Slot)
		}
		r.slots[i.Slot], err = w.start(me, i)
	case schedule.Send, schedule.Recv:
		if r.current == nil {
			r.current, err = w.start(me, i)
		}
		if err != nil || !r.current.done {
			return false, err
		}
		r.current.release()
		r.current = nil
	case schedule.Wait:
		t := r.slots[i.Slot]
		if t == nil {
			return false, fmt.Errorf("request %d is waited for and was not started", i.Slot)
		}
		if !t.done {
			return false, nil
		}
		t.release()
		r.slots[i.Slot] = nil
	case schedule.Copy:
		err = w.copy(r, i)
	case schedule.Combine:
		err = w.combine(r, i)
	}
	if err == nil {
		r.next++
	}
	return err == nil, err
}

func (w *world) copy(r *rank, i *schedule.Instr) error {
	if i.A.Len != i.B.Len {
		return fmt.Errorf("%d bytes are copied to %d", i.B.Len, i.A.Len)
	}
	if err := r.memory[i.B.Buffer].read(i.B); err != nil {
		return err
	}
	if err := r.memory[i.A.Buffer].write(i.A); err != nil {
		return err
	}
	copy(r.memory[i.A.Buffer].at(i.A), r.memory[i.B.Buffer].at(i.B))
	r.memory[i.A.Buffer].wrote(i.A)
	return nil
}

func (w *world) combine(r *rank, i *schedule.Instr) error {
	if i.A.Len != i.B.Len || i.A.Len != i.C.Len || i.A.Len%w.Op.Elem != 0 {
		return fmt.Errorf("%d and %d bytes are combined to %d; an element has %d", i.B.Len, i.C.Len, i.A.Len, w.Op.Elem)
	}
	for _, m := range []schedule.Mem{i.B, i.C} {
		if m != i.A && overlap(m, i.A) {
			return fmt.Errorf("the result of an operator overlaps what it combines, and is not the same memory")
		}
		if err := r.memory[m.Buffer].read(m); err != nil {
			return err
		}
	}
	if err := r.memory[i.A.Buffer].write(i.A); err != nil {
		return err
	}
	w.Op.Combine(r.memory[i.A.Buffer].at(i.A), r.memory[i.B.Buffer].at(i.B), r.memory[i.C.Buffer].at(i.C))
	r.memory[i.A.Buffer].wrote(i.A)
	return nil
}

func overlap(m, n schedule.Mem) bool {
	return m.Buffer == n.Buffer && m.Off < n.Off+n.Len && n.Off < m.Off+m.Len
}

// start begins a transfer, and ends it if the peer has begun its side.
func (w *world) start(me int, i *schedule.Instr) (*transfer, error) {
	r := w.ranks[me]
	peer := int(i.Peer)
	if peer == me || peer < 0 || peer >= len(w.ranks) {
		return nil, fmt.Errorf("a message to or from rank %d", peer)
	}
	t := &transfer{rank: r, part: i.A, hold: -1}
	m := &r.memory[i.A.Buffer]
	if i.Code == schedule.Send || i.Code == schedule.Isend {
		if err := m.read(i.A); err != nil {
			return nil, err
		}
		t.hold, t.news = 1, slices.Clone(r.heard)
		m.mark(i.A, t.hold)
		if w.Buffered {
			t.data = append([]byte{}, m.at(i.A)...)
			t.done = true
		}
		w.sends[[2]int{me, peer}] = append(w.sends[[2]int{me, peer}], t)
		return t, w.match(me, peer)
	}
	if err := m.write(i.A); err != nil {
		return nil, err
	}
	m.mark(i.A, t.hold)
	w.recvs[[2]int{peer, me}] = append(w.recvs[[2]int{peer, me}], t)
	return t, w.match(peer, me)
}

// release gives the memory back once the transfer was waited for. Until then it belongs to
// the transfer even if the message has moved: when that is, a program cannot know.
func (t *transfer) release() {
	t.rank.memory[t.part.Buffer].mark(t.part, -t.hold)
	t.rank.heard.add(t.news)
}

// match moves messages for which both sides have begun, in order.
func (w *world) match(from, to int) error {
	pair := [2]int{from, to}
	for len(w.sends[pair]) > 0 && len(w.recvs[pair]) > 0 {
		s, r := w.sends[pair][0], w.recvs[pair][0]
		w.sends[pair], w.recvs[pair] = w.sends[pair][1:], w.recvs[pair][1:]
		if s.part.Len != r.part.Len {
			return fmt.Errorf("rank %d sends %d bytes to rank %d, which expects %d", from, s.part.Len, to, r.part.Len)
		}
		target := &r.rank.memory[r.part.Buffer]
		if s.data == nil {
			copy(target.at(r.part), s.rank.memory[s.part.Buffer].at(s.part))
		} else {
			copy(target.at(r.part), s.data)
		}
		target.wrote(r.part)
		r.news = s.news
		s.done, r.done = true, true
	}
	return nil
}
