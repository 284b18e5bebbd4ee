package coll

import "gobench/comm/schedule"

func allreduceSegmented() Algorithm {
	return Algorithm{
		Name: "ring-segmented", Kind: schedule.Allreduce,
		Source: "Patarasuk and Yuan 2009; segments as in Open MPI's segmented ring",
		About:  "ring whose blocks are cut in segments: one is combined and sent on while others come in",
		Param:  "the bytes of a segment", Default: 64 << 10, Values: []int{32 << 10, 64 << 10, 256 << 10},
		Fits:  commutes,
		Build: segmentedRingAllreduce,
	}
}

// segmentedRingAllreduce takes 2(p - 1) steps along the ring. In the first p - 1 steps a received
// block is a partial sum, to which this rank adds its own; blocks received later are complete. Each
// block is forwarded to the next rank as it is, so reduce-scatter and allgather are not separated.
// The receives of the next step are posted segment by segment, as soon as the sends are complete
// whose memory they overwrite: sends of an earlier step from the scratch buffers, or, in place, of
// this rank's input.
func segmentedRingAllreduce(b *schedule.Builder, bytes int) {
	p := b.Ranks
	if p == 1 {
		b.Copy(b.RecvBuf(), b.Input())
		return
	}
	from, to := (b.Rank+1)%p, (b.Rank-1+p)%p
	input, result := cut(b, b.Input(), p), cut(b, b.RecvBuf(), p)
	longest := 0
	for rank := range p {
		longest = max(longest, input(rank).Len)
	}
	segment := max(b.Elem, bytes/b.Elem*b.Elem)
	n := max(1, (longest+segment-1)/segment)        // the same for all blocks, so that all ranks agree
	stride := (longest/b.Elem + n - 1) / n * b.Elem // of places in a room, which hold a segment of any block
	rooms := [2]schedule.Mem{b.Scratch(n * stride), b.Scratch(n * stride)}
	last := 2*(p-1) - 1
	block := func(step int) int { return (b.Rank + 2 + step) % p }
	land := func(step, i int) schedule.Mem {
		if step < p-1 {
			return rooms[step%2].At(i*stride, cut(b, input(block(step)), n)(i).Len)
		}
		return cut(b, result(block(step)), n)(i)
	}
	arriving, leaving := make([]schedule.Slot, n), make([]schedule.Slot, n) // of this step
	for i := range n {
		arriving[i] = b.Irecv(land(0, i), from)
	}
	for i := range n {
		leaving[i] = b.Isend(cut(b, input(from), n)(i), to)
	}
	for step := 0; step <= last; step++ {
		for i := range n {
			b.Wait(arriving[i])
			in := land(step, i)
			if step < p-1 {
				sum := in
				if step == p-2 {
					sum = cut(b, result(b.Rank), n)(i)
				}
				b.Combine(sum, cut(b, input(block(step)), n)(i), in)
				in = sum
			}
			ended := leaving[i]
			if step < last {
				leaving[i] = b.Isend(in, to)
			}
			b.Wait(ended)
			if step < last {
				arriving[i] = b.Irecv(land(step+1, i), from)
			}
		}
	}
}
