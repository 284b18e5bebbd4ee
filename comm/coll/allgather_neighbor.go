package coll

import "gobench/comm/schedule"

// allgatherNeighbor exchanges pairs of blocks with the two neighbours in turn: p/2
// rounds.
func allgatherNeighbor() Algorithm {
	a := allgather("neighbor", "Chen, Zhang, Zhang, Yuan 2005", "neighbours exchange two blocks at a time, left and right in turn", neighborAllgather)
	a.Fits = func(s *schedule.Shape) string {
		if s.Ranks%2 != 0 {
			return "it works on an even number of ranks"
		}
		return ""
	}
	return a
}

// neighborAllgather emits the exchanges: even ranks begin with the neighbour above, odd ranks with
// the one below. The blocks received from one neighbour are sent to the other in the next round.
func neighborAllgather(b *schedule.Builder) {
	p := b.Ranks
	up, down := (b.Rank+1)%p, (b.Rank-1+p)%p
	first, second, sign := up, down, 1
	if b.Rank%2 == 1 {
		first, second, sign = down, up, -1
	}
	b.Exchange(b.RecvBlock(b.Rank), first, b.RecvBlock(first), first)
	pair := b.Rank &^ 1 // the even rank of the pair of blocks to be sent next
	for round := 1; round < p/2; round++ {
		peer := second
		if round%2 == 0 {
			peer = first
		}
		// The pair that the peer has got last: it moves away by two pairs a round.
		var in int
		if round%2 == 1 {
			in = pair - sign*2*round
		} else {
			in = pair + sign*2*round
		}
		in = ((in % p) + p) % p
		exchangePair(b, pair, in, peer)
		pair = in
	}
}

// exchangePair sends the blocks of the two ranks of a pair and receives those of another.
func exchangePair(b *schedule.Builder, out, in, peer int) {
	m, slot := landing(b, b.RecvBlock, ranks(in, 2, b.Ranks))
	b.Exchange(pack(b, b.RecvBlock, ranks(out, 2, b.Ranks)), peer, m, peer)
	slot()
}
