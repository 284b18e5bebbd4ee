package coll

import "gobench/comm/schedule"

// An accumulator emits the reduction of vectors. It starts with the caller's input, which it does
// not copy, and writes results to other memory.
type accumulator struct {
	b     *schedule.Builder
	value schedule.Mem // the current value
	slot  schedule.Mem // where results are written
	room  schedule.Mem // for vectors to be received
	ready bool         // room is allocated
}

// accumulate makes an accumulator with the value at input. Results are written to place; until the
// first one the value stays at input.
func accumulate(b *schedule.Builder, input, slot schedule.Mem) *accumulator {
	return &accumulator{b: b, value: input, slot: slot}
}

// incoming returns scratch memory for a vector to be received, the same at each call.
func (a *accumulator) incoming() schedule.Mem {
	if !a.ready {
		a.room, a.ready = a.b.Scratch(a.value.Len), true
	}
	return a.room
}

// combine adds the vector of a range of ranks that lies directly before or after the ranks combined
// so far.
func (a *accumulator) combine(m schedule.Mem, before bool) {
	if before {
		a.b.Combine(a.slot, m, a.value)
	} else {
		a.b.Combine(a.slot, a.value, m)
	}
	a.value = a.slot
}

// receive receives a vector from a peer and adds it, in the order of ranks.
func (a *accumulator) receive(peer int) {
	m := a.incoming()
	a.b.Recv(m, peer)
	a.combine(m, peer < a.b.Rank)
}

// settle copies the value to place unless it is there.
func (a *accumulator) settle() {
	a.b.Copy(a.slot, a.value)
	a.value = a.slot
}

// A fold reduces any number of ranks to a power of two and keeps their order (Rabenseifner and
// Träff 2004). With r ranks too many, each even rank below 2 r sends its vector to the next odd
// rank and is idle until the end. The remaining ranks are renumbered in order.
type fold struct {
	b     *schedule.Builder
	ranks int // that remain, a power of two
	rest  int // ranks that are idle
	me    int // number of this rank, -1 if it is idle
}

func newFold(b *schedule.Builder) fold {
	f := fold{b: b, ranks: power(b.Ranks)}
	f.rest = b.Ranks - f.ranks
	switch {
	case b.Rank >= 2*f.rest:
		f.me = b.Rank - f.rest
	case b.Rank%2 == 1:
		f.me = b.Rank / 2
	default:
		f.me = -1
	}
	return f
}

// rank returns the rank with a number among those that remain.
func (f fold) rank(number int) int {
	if number < f.rest {
		return 2*number + 1
	}
	return number + f.rest
}

// paired reports whether this rank has received the vector of an idle rank.
func (f fold) paired() bool { return f.me >= 0 && f.me < f.rest }

// in emits the transfer of the vectors of idle ranks.
func (f fold) in(sum *accumulator) {
	switch {
	case f.me < 0:
		f.b.Send(sum.value, f.b.Rank+1)
	case f.paired():
		m := sum.incoming()
		f.b.Recv(m, f.b.Rank-1)
		sum.combine(m, true)
	}
}

// out emits the transfer of the result to the idle ranks.
func (f fold) out(result schedule.Mem) {
	switch {
	case f.me < 0:
		f.b.Recv(result, f.b.Rank+1)
	case f.paired():
		f.b.Send(result, f.b.Rank-1)
	}
}

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
