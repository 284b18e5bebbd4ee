package coll

import "gobench/comm/schedule"

// flatReduceScatter combines at rank 0, in the order of ranks.
func flatReduceScatter(b *schedule.Builder) {
	if b.Rank > 0 {
		b.Send(b.Input(), 0)
		b.Recv(b.RecvBlock(b.Rank), 0)
		return
	}
	sum := accumulate(b, b.Input(), b.Scratch(b.Total()))
	for peer := 1; peer < b.Ranks; peer++ {
		sum.receive(peer)
	}
	block := blocksOf(b, sum.value)
	var sent []schedule.Slot
	for peer := 1; peer < b.Ranks; peer++ {
		sent = append(sent, b.Isend(block(peer), peer))
	}
	b.Copy(b.RecvBlock(0), block(0))
	b.Wait(sent...)
}

// binomialReduceScatter combines up a binomial tree to rank 0, whose subtrees are ranges
// of ranks.
func binomialReduceScatter(b *schedule.Builder) {
	sum := accumulate(b, b.Input(), b.Scratch(b.Total()))
	knomialCombine(b, sum, 0, 2)
	if b.Rank > 0 {
		b.Recv(b.RecvBlock(b.Rank), 0)
		return
	}
	block := blocksOf(b, sum.value)
	for peer := 1; peer < b.Ranks; peer++ {
		b.Send(block(peer), peer)
	}
	b.Copy(b.RecvBlock(0), block(0))
}

// blocksOf returns the layout of the blocks in a vector of the length of the input.
func blocksOf(b *schedule.Builder, vector schedule.Mem) layout {
	at, input := inputBlock(b), b.Input()
	return func(rank int) schedule.Mem {
		m := at(rank)
		return vector.At(m.Off-input.Off, m.Len)
	}
}
