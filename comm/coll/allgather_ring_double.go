package coll

import "gobench/comm/schedule"

// doubleRingAllgather shifts blocks up and down the ring at the same time: p/2 rounds instead
// of p - 1, for full-duplex links.
func doubleRingAllgather(b *schedule.Builder) {
	p := b.Ranks
	next, prev := (b.Rank+1)%p, (b.Rank-1+p)%p
	at := func(rank int) schedule.Mem { return b.RecvBlock((rank + p) % p) }
	for i := range p / 2 {
		under := []schedule.Slot{b.Irecv(at(b.Rank-i-1), prev)}
		down := i < (p-1)/2 // for even p the block opposite comes one way only
		if down {
			under = append(under, b.Irecv(at(b.Rank+i+1), next))
		}
		under = append(under, b.Isend(at(b.Rank-i), next))
		if down {
			under = append(under, b.Isend(at(b.Rank+i), prev))
		}
		b.Wait(under...)
	}
}
