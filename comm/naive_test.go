package comm_test

import (
	"gobench/comm/coll"
	"gobench/comm/schedule"
)

// plain are options under which every collective is done in the most obvious
// way: these tests are about communicators, not about algorithms.
func plain() coll.Options {
	var o coll.Options
	for kind := range o.Force {
		a := coll.Algorithm{Name: "plain", Kind: schedule.Kind(kind), Build: func(b *schedule.Builder, _ int) { naive(b) }}
		o.Force[kind] = &coll.Choice{Algorithm: &a}
	}
	return o
}

func naive(b *schedule.Builder) {
	others := func(f func(rank int)) {
		for rank := range b.Ranks {
			if rank != b.Rank {
				f(rank)
			}
		}
	}
	switch b.Kind {
	case schedule.Barrier:
		none := schedule.Mem{}
		if b.Rank == 0 {
			others(func(rank int) { b.Recv(none, rank) })
			others(func(rank int) { b.Send(none, rank) })
		} else {
			b.Send(none, 0)
			b.Recv(none, 0)
		}
	case schedule.Bcast:
		if b.Rank != b.Root {
			b.Recv(b.RecvBuf(), b.Root)
		} else {
			others(func(rank int) { b.Send(b.RecvBuf(), rank) })
		}
	case schedule.Scatter:
		if b.Rank != b.Root {
			b.Recv(b.RecvBuf(), b.Root)
			return
		}
		others(func(rank int) { b.Send(b.SendBlock(rank), rank) })
		if !b.InPlace {
			b.Copy(b.RecvBuf(), b.SendBlock(b.Rank))
		}
	case schedule.Gather:
		if b.Rank != b.Root {
			b.Send(b.Input(), b.Root)
			return
		}
		others(func(rank int) { b.Recv(b.RecvBlock(rank), rank) })
		b.Copy(b.RecvBlock(b.Rank), b.Input())
	case schedule.Allgather:
		var slots []schedule.Slot
		others(func(rank int) { slots = append(slots, b.Irecv(b.RecvBlock(rank), rank)) })
		others(func(rank int) { b.Send(b.Input(), rank) })
		b.Copy(b.RecvBlock(b.Rank), b.Input())
		b.Wait(slots...)
	case schedule.Alltoall:
		block := b.SendBlock
		if b.InPlace {
			copied := b.Scratch(b.RecvLen())
			b.Copy(copied, b.RecvBuf())
			block = func(rank int) schedule.Mem { m := b.RecvBlock(rank); return copied.At(m.Off, m.Len) }
		}
		var slots []schedule.Slot
		others(func(rank int) { slots = append(slots, b.Irecv(b.RecvBlock(rank), rank)) })
		others(func(rank int) { b.Send(block(rank), rank) })
		b.Copy(b.RecvBlock(b.Rank), block(b.Rank))
		b.Wait(slots...)
	default:
		naiveReduction(b)
	}
}

func naiveReduction(b *schedule.Builder) {
	in := b.Input()
	wants := func(to, from int) bool {
		switch b.Kind {
		case schedule.Reduce:
			return to == b.Root
		case schedule.Scan:
			return from <= to
		case schedule.Exscan:
			return from < to
		}
		return true
	}
	var slots []schedule.Slot
	parts := make([]schedule.Mem, b.Ranks)
	for from := range b.Ranks {
		if !wants(b.Rank, from) {
			continue
		}
		parts[from] = b.Scratch(in.Len)
		if from == b.Rank {
			b.Copy(parts[from], in)
		} else {
			slots = append(slots, b.Irecv(parts[from], from))
		}
	}
	for to := range b.Ranks {
		if to != b.Rank && wants(to, b.Rank) {
			b.Send(in, to)
		}
	}
	b.Wait(slots...)
	var sum schedule.Mem
	some := false
	for from := range b.Ranks {
		switch {
		case !wants(b.Rank, from):
		case !some:
			sum, some = parts[from], true
		default:
			b.Combine(sum, sum, parts[from])
		}
	}
	if !some {
		return
	}
	if b.Kind == schedule.ReduceScatter {
		off := 0
		for rank := range b.Rank {
			off += b.Len(rank)
		}
		b.Copy(b.RecvBuf().At(0, b.Len(b.Rank)), sum.At(off, b.Len(b.Rank)))
		return
	}
	b.Copy(b.RecvBuf(), sum)
}
