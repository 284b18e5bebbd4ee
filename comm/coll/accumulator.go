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
