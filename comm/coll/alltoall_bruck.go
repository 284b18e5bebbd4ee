package coll

import "gobench/comm/schedule"

// alltoallBruck needs ceil(log2 p) rounds, in each of which about half of all blocks
// move: for small blocks.
func alltoallBruck() Algorithm {
	return Algorithm{
		Name: "bruck", Kind: schedule.Alltoall,
		Source: "Bruck, Ho, Kipnis, Upfal, Weathersby 1997",
		About:  "ceil(log2 p) rounds with many blocks in a message",
		Fits: func(s *schedule.Shape) string {
			if !s.Uniform() {
				return "it works on equal blocks"
			}
			return ""
		},
		Build: bruckAlltoall,
	}
}

// bruckAlltoall emits Bruck's algorithm. Block i of the work is for the rank i after this one. In
// round k all blocks whose index has bit k set are sent to the rank 2^k after this one. In the end
// block i is from the rank i before this one.
func bruckAlltoall(b *schedule.Builder, _ int) {
	p, n := b.Ranks, b.Bytes
	work := b.Scratch(p * n)
	out, in := b.Scratch((p+1)/2*n), b.Scratch((p+1)/2*n)
	from := b.SendBlock
	if b.InPlace {
		from = b.RecvBlock
	}
	for i := range p {
		b.Copy(work.At(i*n, n), from((b.Rank+i)%p))
	}
	for d := 1; d < p; d *= 2 {
		var moving []int
		for i := range p {
			if i&d != 0 {
				moving = append(moving, i)
			}
		}
		for k, i := range moving {
			b.Copy(out.At(k*n, n), work.At(i*n, n))
		}
		size := len(moving) * n
		b.Exchange(out.At(0, size), (b.Rank+d)%p, in.At(0, size), (b.Rank-d+p)%p)
		for k, i := range moving {
			b.Copy(work.At(i*n, n), in.At(k*n, n))
		}
	}
	for i := range p {
		b.Copy(b.RecvBlock((b.Rank-i+p)%p), work.At(i*n, n))
	}
}
