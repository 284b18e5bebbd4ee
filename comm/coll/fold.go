package coll

import "gobench/comm/schedule"

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
