package coll

import "gobench/comm/schedule"

// halves implements recursive halving of a vector over folded ranks: at distance 1, 2, 4 ...
// partners split the part that both still have, and each combines the half that it keeps.
// Partners at distance d represent adjacent aligned ranges of d ranks, so the
// order of ranks is kept. In the end a rank has the part whose index is its number
// with the bits reversed.
type halves struct {
	f    fold
	sum  *accumulator
	room schedule.Mem
	path []schedule.Mem // the part that this rank had before each round, and in the end
}

// reduceHalves emits the halving. Every rank that is not idle ends with its part of the combined
// vector.
func reduceHalves(b *schedule.Builder, f fold, sum *accumulator) *halves {
	h := &halves{f: f, sum: sum}
	whole := schedule.Mem{Off: 0, Len: sum.slot.Len}
	h.path = append(h.path, whole)
	if f.me < 0 {
		return h
	}
	h.room = sum.incoming()
	part := whole
	for d := 1; d < f.ranks; d *= 2 {
		peer := f.rank(f.me ^ d)
		low, high := split(part, b.Elem)
		keep, give, before := low, high, false
		if f.me&d != 0 {
			keep, give, before = high, low, true
		}
		in := h.room.At(keep.Off, keep.Len)
		b.Exchange(sum.value.At(give.Off, give.Len), peer, in, peer)
		own, to := sum.value.At(keep.Off, keep.Len), sum.slot.At(keep.Off, keep.Len)
		if before {
			b.Combine(to, in, own)
		} else {
			b.Combine(to, own, in)
		}
		// Only the part that is kept matters from here on, and it lies in its place.
		sum.value = sum.slot
		part = keep
		h.path = append(h.path, part)
	}
	return h
}

// split cuts a part of a vector in two, between elements.
func split(m schedule.Mem, elem int) (low, high schedule.Mem) {
	n := m.Len / elem / 2 * elem
	return m.At(0, n), m.At(n, m.Len-n)
}

// gatherAll emits the rounds in reverse order, after which every rank that is not idle has the
// whole vector.
func (h *halves) gatherAll(b *schedule.Builder) {
	if h.f.me < 0 {
		return
	}
	at := func(m schedule.Mem) schedule.Mem { return h.sum.slot.At(m.Off, m.Len) }
	for i := len(h.path) - 2; i >= 0; i-- {
		d := 1 << i
		peer := h.f.rank(h.f.me ^ d)
		low, high := split(h.path[i], b.Elem)
		mine, theirs := low, high
		if h.f.me&d != 0 {
			mine, theirs = high, low
		}
		b.Exchange(at(mine), peer, at(theirs), peer)
	}
}
