package coll

import "gobench/comm/schedule"

func reduceRabenseifner() Algorithm {
	return Algorithm{
		Name: "rabenseifner", Kind: schedule.Reduce,
		Source: "Rabenseifner 2004, \"Optimization of Collective Reduction Operations\"",
		About:  "recursive halving, then a binomial gather to the root",
		Build:  func(b *schedule.Builder, _ int) { rabenseifnerReduce(b) },
	}
}

// rabenseifnerReduce emits the halving and then a gather by its rounds in reverse order: in each,
// the ranks that are not on the way to the collector send their part and are done. The collector is
// the root, or its partner if the root is idle.
func rabenseifnerReduce(b *schedule.Builder) {
	f := newFold(b)
	sum := accumulate(b, b.Input(), result(b))
	f.in(sum)
	h := reduceHalves(b, f, sum)
	collector := b.Root
	if b.Root < 2*f.rest && b.Root%2 == 0 {
		collector++
	}
	if f.me >= 0 {
		h.gatherTo(b, newNumber(f, collector))
	}
	if collector != b.Root {
		switch b.Rank {
		case collector:
			b.Send(h.whole(), b.Root)
		case b.Root:
			b.Recv(b.RecvBuf(), collector)
			return
		}
	}
	if b.Rank == b.Root {
		sum.settle()
	}
}

// newNumber returns the number of a rank that is not idle.
func newNumber(f fold, rank int) int {
	if rank < 2*f.rest {
		return rank / 2
	}
	return rank - f.rest
}

// whole returns the vector after its parts were gathered.
func (h *halves) whole() schedule.Mem { return h.sum.value }

// gatherTo emits the gather to one rank, given by its number.
func (h *halves) gatherTo(b *schedule.Builder, to int) {
	at := func(m schedule.Mem) schedule.Mem { return h.sum.value.At(m.Off, m.Len) }
	for i := len(h.path) - 2; i >= 0; i-- {
		d := 1 << i
		// After the rounds above this one the parts are where the higher bits agree with to.
		if h.f.me>>(i+1) != to>>(i+1) {
			return
		}
		peer := h.f.rank(h.f.me ^ d)
		low, high := split(h.path[i], b.Elem)
		mine, theirs := low, high
		if h.f.me&d != 0 {
			mine, theirs = high, low
		}
		if h.f.me&d != to&d {
			b.Send(at(mine), peer)
			return
		}
		b.Recv(at(theirs), peer)
	}
}
