package coll

import (
	"gobench/comm/schedule"
	"gobench/internal/comm/coll/shared"
)

// prefixes returns the algorithms of scans, and of those that leave out a rank's own vector.
func prefixes(kind schedule.Kind, copies string) []Algorithm {
	prefix := messages(kind)
	return []Algorithm{
		prefix("recursive-doubling", "Hillis and Steele 1986; MPICH", "recursive doubling: ranges of ranks double in each of log2 p rounds", doublingScan),
		prefix("linear", "thesis chapter 5 table 2, linear", "from rank to rank", linearScan),
		prefix("flat", "F-MPJ table 1 (MPJ/Ibis), bFT", "every rank sends to all after it, one after the other", flatScan),
		prefix("flat-nb", "F-MPJ table 1, nbFT", "every rank sends to all after it", flatNonBlockingScan),
		inMemory(kind, "copy", copies, shared.Scan),
	}
}

// ownVector returns this rank's vector, in place as a copy, so that the result cannot overwrite it.
func ownVector(b *schedule.Builder) schedule.Mem {
	if !b.InPlace {
		return b.Input()
	}
	own := b.Scratch(b.Bytes)
	b.Copy(own, b.Input())
	return own
}

// linearScan receives the partial result of the rank before, and sends it on combined with its own.
func linearScan(b *schedule.Builder) {
	own, last := ownVector(b), b.Rank == b.Ranks-1
	if b.Kind == schedule.Scan {
		if b.Rank == 0 {
			b.Copy(b.RecvBuf(), own)
		} else {
			before := b.Scratch(b.Bytes)
			b.Recv(before, b.Rank-1)
			b.Combine(b.RecvBuf(), before, own)
		}
		if !last {
			b.Send(b.RecvBuf(), b.Rank+1)
		}
		return
	}
	sum := own
	if b.Rank > 0 {
		b.Recv(b.RecvBuf(), b.Rank-1)
		if !last {
			sum = b.Scratch(b.Bytes)
			b.Combine(sum, b.RecvBuf(), own)
		}
	}
	if !last {
		b.Send(sum, b.Rank+1)
	}
}

// flatNonBlockingScan receives the vectors of all ranks before and combines them in rank order.
func flatNonBlockingScan(b *schedule.Builder) {
	own := ownVector(b)
	rooms, arriving := make([]schedule.Mem, b.Rank), make([]schedule.Slot, b.Rank)
	for peer := range rooms {
		rooms[peer] = b.Scratch(b.Bytes)
		arriving[peer] = b.Irecv(rooms[peer], peer)
	}
	var sent []schedule.Slot
	for peer := b.Rank + 1; peer < b.Ranks; peer++ {
		sent = append(sent, b.Isend(own, peer))
	}
	list := rooms
	if b.Kind == schedule.Scan {
		list = append(list, own)
	}
	var sum *accumulator
	for peer, m := range list {
		if peer < b.Rank {
			b.Wait(arriving[peer])
		}
		if sum == nil {
			sum = accumulate(b, m, b.RecvBuf())
		} else {
			sum.combine(m, false)
		}
	}
	if sum != nil {
		sum.settle()
	}
	b.Wait(sent...)
}

// doublingScan emits recursive doubling. part holds the result of the aligned range of ranks that
// this rank and its partners have combined; what is received from lower ranks is combined with the
// result too.
func doublingScan(b *schedule.Builder) {
	own := ownVector(b)
	part := accumulate(b, own, b.Scratch(b.Bytes))
	var before *accumulator // the result; of an exscan nil until the first message
	if b.Kind == schedule.Scan {
		before = accumulate(b, own, b.RecvBuf())
	}
	for d := 1; d < b.Ranks; d *= 2 {
		peer := b.Rank ^ d
		if peer >= b.Ranks {
			continue
		}
		m := part.incoming()
		b.Exchange(part.value, peer, m, peer)
		if peer > b.Rank {
			part.combine(m, false)
			continue
		}
		part.combine(m, true)
		if before == nil {
			b.Copy(b.RecvBuf(), m)
			before = accumulate(b, b.RecvBuf(), b.RecvBuf())
		} else {
			before.combine(m, true)
		}
	}
	if before != nil {
		before.settle()
	}
}

// flatScan receives from all ranks before, in rank order, then sends to all ranks after.
func flatScan(b *schedule.Builder) {
	own := ownVector(b)
	if b.Rank > 0 {
		b.Recv(b.RecvBuf(), 0)
		sum := accumulate(b, b.RecvBuf(), b.RecvBuf())
		for peer := 1; peer < b.Rank; peer++ {
			m := sum.incoming()
			b.Recv(m, peer)
			sum.combine(m, false)
		}
		if b.Kind == schedule.Scan {
			sum.combine(own, false)
		}
	} else if b.Kind == schedule.Scan {
		b.Copy(b.RecvBuf(), own)
	}
	for peer := b.Rank + 1; peer < b.Ranks; peer++ {
		b.Send(own, peer)
	}
}
