package coll

import "gobench/comm/schedule"

// ringReduceScatter emits the bucket algorithm: the partial result for each rank travels once
// around the ring, downwards, and every rank on the way combines its block with it. This rank's
// result is written to to, which may be its own block but must not overlap any other. Blocks are
// only read.
func ringReduceScatter(b *schedule.Builder, block layout, to schedule.Mem) {
	p := b.Ranks
	if p == 1 {
		b.Copy(to, block(0))
		return
	}
	next, prev := (b.Rank+1)%p, (b.Rank-1+p)%p
	longest := 0
	for rank := range p {
		longest = max(longest, block(rank).Len)
	}
	rooms := [2]schedule.Mem{b.Scratch(longest), b.Scratch(longest)}
	out := block(next)
	for i := range p - 1 {
		mine := block((b.Rank + 2 + i) % p)
		in := rooms[i%2].At(0, mine.Len)
		b.Exchange(out, prev, in, next)
		out = in
		if i == p-2 {
			out = to
		}
		b.Combine(out, mine, in)
	}
}

// ringPostedReduceScatter posts all receives first.
func ringPostedReduceScatter(b *schedule.Builder) {
	p := b.Ranks
	block := inputBlock(b)
	if p == 1 {
		b.Copy(b.RecvBlock(b.Rank), block(0))
		return
	}
	next, prev := (b.Rank+1)%p, (b.Rank-1+p)%p
	arriving, rooms := make([]schedule.Slot, p-1), make([]schedule.Mem, p-1)
	for i := range arriving {
		rooms[i] = b.Scratch(block((b.Rank + 2 + i) % p).Len)
		arriving[i] = b.Irecv(rooms[i], next)
	}
	var sent []schedule.Slot
	own := ownSum(b)
	out := block(next)
	for i := range arriving {
		sent = append(sent, b.Isend(out, prev))
		b.Wait(arriving[i])
		out = rooms[i]
		if i == p-2 {
			out = own
		}
		b.Combine(out, block((b.Rank+2+i)%p), rooms[i])
	}
	b.Wait(sent...)
	b.Copy(b.RecvBlock(b.Rank), own)
}
