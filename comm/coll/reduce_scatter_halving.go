package coll

import "gobench/comm/schedule"

func blockingHalvingReduceScatter(b *schedule.Builder) {
	halvingReduceScatter(b, func(out schedule.Mem, peer int, in schedule.Mem) { b.Exchange(out, peer, in, peer) })
}

func nonBlockingHalvingReduceScatter(b *schedule.Builder) {
	halvingReduceScatter(b, func(out schedule.Mem, peer int, in schedule.Mem) {
		r := b.Irecv(in, peer)
		s := b.Isend(out, peer)
		b.Wait(r, s)
	})
}

// halvingReduceScatter emits recursive halving: partners at a distance of half of the ranks
// exchange the blocks of each other's half, then at a quarter and so on. Ranks beyond a power of
// two are idle meanwhile.
func halvingReduceScatter(b *schedule.Builder, exchange func(out schedule.Mem, peer int, in schedule.Mem)) {
	f := newFold(b)
	blocks := inputBlock(b)
	input := b.Input()
	sum := accumulate(b, input, b.Scratch(b.Total()))
	f.in(sum)
	if f.me < 0 {
		b.Recv(b.RecvBlock(b.Rank), b.Rank+1)
		return
	}
	// part returns the part of the vector that belongs to n numbers from first on.
	part := func(first, n int) schedule.Mem {
		from := f.rank(first)
		if first < f.rest {
			from--
		}
		last := f.rank(first + n - 1)
		m := schedule.Mem{Off: blocks(from).Off - input.Off}
		m.Len = blocks(last).Off - input.Off + blocks(last).Len - m.Off
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
		exchange(sum.value.At(give.Off, give.Len), f.rank(f.me^n), in)
		b.Combine(sum.place.At(keep.Off, keep.Len), sum.value.At(keep.Off, keep.Len), in)
		sum.value = sum.place
	}
	at := func(rank int) schedule.Mem {
		m := blocks(rank)
		return sum.value.At(m.Off-input.Off, m.Len)
	}
	if f.paired() {
		b.Send(at(b.Rank-1), b.Rank-1)
	}
	b.Copy(b.RecvBlock(b.Rank), at(b.Rank))
}
