package coll

import "gobench/comm/schedule"

// ringAllgather shifts blocks around a ring, p - 1 times: the bucket algorithm.
// This rank's block is in its place.
func ringAllgather(b *schedule.Builder, at layout) {
	p := b.Ranks
	next, prev := (b.Rank+1)%p, (b.Rank-1+p)%p
	for i := range p - 1 {
		b.Exchange(at((b.Rank-i+p)%p), next, at((b.Rank-i-1+p)%p), prev)
	}
}

// ringPostedAllgather posts all receives before the first send, so that no block
// arrives before its receive (F-MPJ figure 8). F-MPJ has a barrier between the two; an empty
// message from the neighbour to which the blocks go is sufficient.
func ringPostedAllgather(b *schedule.Builder) {
	p := b.Ranks
	if p == 1 {
		return
	}
	next, prev := (b.Rank+1)%p, (b.Rank-1+p)%p
	ready := b.Irecv(nothing, next)
	var arriving, sent []schedule.Slot
	for i := range p - 1 {
		arriving = append(arriving, b.Irecv(b.RecvBlock((b.Rank-i-1+p)%p), prev))
	}
	b.Send(nothing, prev)
	b.Wait(ready)
	for i := range p - 1 {
		sent = append(sent, b.Isend(b.RecvBlock((b.Rank-i+p)%p), next))
		b.Wait(arriving[i])
	}
	b.Wait(sent...)
}
