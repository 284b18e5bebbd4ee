package weakmem

import (
	"encoding/binary"
	"slices"
)

// An encoder writes what identifies a state: what can happen in it. Two states differ in no more
// than their past if no thread can read what differs.
type encoder struct {
	b      []byte
	bases  []int      // by word: the oldest message that a thread may still read, or store behind
	common []uint16   // by counter of clocks: the accesses of data that all other threads know, which cannot race
	counts [][]uint16 // by counter: the other accesses, in order
}

// encode replaces the content of the encoder by a state.
func (e *encoder) encode(m *Machine) []byte {
	e.b = e.b[:0]
	e.survey(m)
	for _, t := range m.threads {
		e.b = binary.LittleEndian.AppendUint64(e.b, t.history)
		if t.done {
			continue
		}
		e.view(t.view)
		e.view(t.pending)
		e.view(t.fenced)
		if t.op.kind == idle {
			e.view(view{seen: t.turn})
		}
	}
	e.view(m.total)
	for _, w := range m.words {
		for _, c := range w.messages[e.bases[w.id]:] {
			e.b = binary.LittleEndian.AppendUint64(e.b, c.value)
			if c.rmw {
				e.b = append(e.b, 1)
			}
			e.view(c.view)
		}
		e.b = append(e.b, 0xfe)
	}
	for _, d := range m.data {
		e.b = binary.LittleEndian.AppendUint64(e.b, d.value)
		e.access(d.wrote)
		for _, a := range d.reads {
			e.access(a)
		}
	}
	return e.b
}

// survey finds what threads may still read, and the accesses of data that may still race.
func (e *encoder) survey(m *Machine) {
	e.bases = e.bases[:0]
	for _, w := range m.words {
		base := w.last().at
		for _, t := range m.threads {
			if !t.done {
				base = min(base, t.view.floor(w.id))
			}
		}
		if m.full && m.without == "" {
			base = max(base, m.total.floor(w.id))
		}
		e.bases = append(e.bases, base)
	}
	counters := 2 * len(m.threads)
	e.common = e.common[:0]
	e.counts = slices.Grow(e.counts[:0], counters)[:counters]
	for i := range e.counts {
		e.counts[i] = e.counts[i][:0]
		common := ^uint16(0)
		for _, t := range m.threads {
			if !t.done && t.id != i/2 {
				common = min(common, t.view.clock[i])
			}
		}
		e.common = append(e.common, common)
	}
	for _, d := range m.data {
		e.count(d.wrote)
		for _, a := range d.reads {
			e.count(a)
		}
	}
	for i := range e.counts {
		slices.Sort(e.counts[i])
		e.counts[i] = slices.Compact(e.counts[i])
	}
}

func (e *encoder) count(a access) {
	if a.count > e.common[a.counter] {
		e.counts[a.counter] = append(e.counts[a.counter], a.count)
	}
}

// view writes which messages and accesses are known.
func (e *encoder) view(v view) {
	for id := range v.seen {
		e.b = append(e.b, byte(max(0, v.floor(id)-e.bases[id])))
	}
	for i, n := range v.clock {
		e.b = append(e.b, byte(e.rank(i, n)))
	}
	e.b = append(e.b, 0xff)
}

// rank returns how many accesses a count of a counter includes.
func (e *encoder) rank(counter int, count uint16) int {
	rank := 0
	for _, c := range e.counts[counter] {
		if c <= count {
			rank++
		}
	}
	return rank
}

func (e *encoder) access(a access) {
	if a.count <= e.common[a.counter] {
		e.b = append(e.b, 0xff)
		return
	}
	e.b = append(e.b, byte(a.counter), byte(e.rank(a.counter, a.count)))
}
