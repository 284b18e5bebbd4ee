package coll

import "gobench/comm/schedule"

// accumulator is a vector to which others are combined. It begins as the caller's
// input, which is read where it lies; results go to a place of their own.
type accumulator struct {
	b     *schedule.Builder
	value schedule.Mem // where the value lies now
	place schedule.Mem // where results go
	room  schedule.Mem // for what is received
	ready bool         // there is room
}

// accumulate begins with the value at input. Results go to place; where nothing was
// combined the value is still at input.
func accumulate(b *schedule.Builder, input, place schedule.Mem) *accumulator {
	return &accumulator{b: b, value: input, place: place}
}

// incoming is memory for a vector to be received.
func (a *accumulator) incoming() schedule.Mem {
	if !a.ready {
		a.room, a.ready = a.b.Scratch(a.value.Len), true
	}
	return a.room
}

// combine adds the vector of a rank range that lies on one side of what was
// combined so far: before it, or after.
func (a *accumulator) combine(m schedule.Mem, before bool) {
	if before {
		a.b.Combine(a.place, m, a.value)
	} else {
		a.b.Combine(a.place, a.value, m)
	}
	a.value = a.place
}

// receive adds what a peer sends, in the order of ranks.
func (a *accumulator) receive(peer int) {
	m := a.incoming()
	a.b.Recv(m, peer)
	a.combine(m, peer < a.b.Rank)
}

// exchange sends the value to a peer and adds what the peer sends.
func (a *accumulator) exchange(peer int, before bool) {
	m := a.incoming()
	a.b.Exchange(a.value, peer, m, peer)
	a.combine(m, before)
}

// settle sees to it that the value lies in its place.
func (a *accumulator) settle() {
	a.b.Copy(a.place, a.value)
	a.value = a.place
}
