package coll

import "gobench/comm/schedule"

// halvingReduceScatter emits recursive halving: partners at a distance of half of the ranks
// exchange the blocks of each other's half, then at a quarter and so on. Ranks beyond a power of
// two are idle meanwhile.
func halvingReduceScatter(swap exchange) func(*schedule.Builder) {
	return func(b *schedule.Builder) {
		f := newFold(b)
		sum := accumulate(b, b.Input(), b.Scratch(b.Total()))
		f.in(sum)
		if f.me < 0 {
			b.Recv(b.RecvBlock(b.Rank), b.Rank+1)
			return
		}
		blocks := blocksOf(b, schedule.Mem{})
		// part returns the part of the vector that belongs to n numbers from first on.
		part := func(first, n int) schedule.Mem {
			from := f.rank(first)
			if first < f.rest {
				from--
			}
			m, last := blocks(from), blocks(f.rank(first+n-1))
			m.Len = last.Off + last.Len - m.Off
			return m
		}
		room := sum.incoming()
		first := 0
		for n := f.ranks / 2; n > 0; n /= 2 {
			keep, give := part(first, n), part(first+n, n)
			if f.me >= first+n {
				keep, give = give, keep
				first += n
			}
			in := room.At(keep.Off, keep.Len)
			peer := f.rank(f.me ^ n)
			swap(b, sum.value.At(give.Off, give.Len), peer, in, peer)
			b.Combine(sum.slot.At(keep.Off, keep.Len), sum.value.At(keep.Off, keep.Len), in)
			sum.value = sum.slot
		}
		at := blocksOf(b, sum.value)
		if f.paired() {
			b.Send(at(b.Rank-1), b.Rank-1)
		}
		b.Copy(b.RecvBlock(b.Rank), at(b.Rank))
	}
}
