package coll

import "gobench/comm/schedule"

func reduceChain() Algorithm {
	return Algorithm{
		Name: "chain", Kind: schedule.Reduce,
		Source: "pipelined chain; Open MPI",
		About:  "segments from rank to rank, combined on the way",
		Param:  "the bytes of a segment", Default: 16 << 10, Values: []int{8 << 10, 32 << 10, 128 << 10},
		Build: chainReduce,
	}
}

// chainReduce emits a chain that begins behind the root and ends at it, or, to keep the
// order of ranks, runs from the last rank to the first, which sends the result to the root.
func chainReduce(b *schedule.Builder, bytes int) {
	end := b.Root
	if !b.Commutative {
		end = 0
	}
	t := karyTree(b.Rank, end, b.Ranks, 1)
	input, slot := b.Input(), result(b)
	list := segments(b, input, bytes)
	var arriving, sent []schedule.Slot
	var room schedule.Mem
	if len(t.children) > 0 {
		room = b.Scratch(b.Bytes)
		for _, m := range list {
			arriving = append(arriving, b.Irecv(room.At(m.Off-input.Off, m.Len), t.children[0]))
		}
	}
	for i, m := range list {
		value, off := m, m.Off-input.Off
		if arriving != nil {
			b.Wait(arriving[i])
			value = slot.At(off, m.Len)
			b.Combine(value, m, room.At(off, m.Len))
		}
		if t.parent >= 0 {
			sent = append(sent, b.Isend(value, t.parent))
		}
	}
	b.Wait(sent...)
	switch {
	case end == b.Root && b.Rank == b.Root && arriving == nil:
		b.Copy(b.RecvBuf(), input)
	case end != b.Root && b.Rank == end:
		from := slot
		if arriving == nil {
			from = input
		}
		b.Send(from, b.Root)
	case end != b.Root && b.Rank == b.Root:
		b.Recv(b.RecvBuf(), end)
	}
}
