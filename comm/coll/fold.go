package coll

import "gobench/comm/schedule"

// fold makes a power of two of ranks out of any number, in a way that keeps the
// order of ranks: of the first 2 r ranks, r being what is too many, the even ones
// hand their vector to the odd one after them and rest. The ranks that remain
// are numbered anew, in order (Rabenseifner and Träff 2004).
type fold struct {
	b     *schedule.Builder
	ranks int // that remain, a power of two
	rest  int // ranks that rest
	me    int // number of this rank, -1 if it rests
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

// rank is the rank with that number.
func (f fold) rank(number int) int {
	if number < f.rest {
		return 2*number + 1
	}
	return number + f.rest
}

// paired reports whether another rank rests for this one.
func (f fold) paired() bool { return f.me >= 0 && f.me < f.rest }

// in hands the vectors of ranks that rest over.
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

// out gives the ranks that rest the result.
func (f fold) out(result schedule.Mem) {
	switch {
	case f.me < 0:
		f.b.Recv(result, f.b.Rank+1)
	case f.paired():
		f.b.Send(result, f.b.Rank-1)
	}
}
