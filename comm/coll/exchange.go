package coll

import "gobench/comm/schedule"

// An exchange emits a transfer to one rank and one from a rank, as schedule.Builder.Exchange does.
type exchange func(b *schedule.Builder, out schedule.Mem, to int, in schedule.Mem, from int)

// exchangeNonBlocking is an exchange with both sides non-blocking.
func exchangeNonBlocking(b *schedule.Builder, out schedule.Mem, to int, in schedule.Mem, from int) {
	r := b.Irecv(in, from)
	s := b.Isend(out, to)
	b.Wait(r, s)
}
