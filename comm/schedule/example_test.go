package schedule_test

import (
	"fmt"
	"os"

	"gobench/comm/schedule"
	"gobench/comm/schedule/sim"
)

// A broadcast along a chain of ranks: the programs of four ranks, run without a network in an order
// that a seed decides, and their cost in Hockney's model.
func Example() {
	const ranks, bytes = 4, 5
	chain := func(b *schedule.Builder) {
		if b.Rank != b.Root {
			b.Recv(b.RecvBuf(), b.Rank-1)
		}
		if b.Rank < b.Ranks-1 {
			b.Send(b.RecvBuf(), b.Rank+1)
		}
	}
	programs, recv := make([]*schedule.Program, ranks), make([][]byte, ranks)
	for rank := range programs {
		shape := schedule.Shape{Kind: schedule.Bcast, Ranks: ranks, Rank: rank, Bytes: bytes, Elem: 1}
		programs[rank], recv[rank] = schedule.Build(shape, chain), make([]byte, bytes)
	}
	copy(recv[0], "hello")
	written := func(rank int) schedule.Mem { // before the operation
		if rank == 0 {
			return schedule.Mem{Buffer: schedule.RecvBuffer, Len: bytes}
		}
		return schedule.Mem{Buffer: schedule.RecvBuffer}
	}
	if err := sim.Run(programs, make([][]byte, ranks), recv, written, sim.Options{Seed: 1}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	cost, err := sim.Model{Alpha: 1}.Cost(programs)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	fmt.Printf("rank 3 has %q after %d messages and %v latencies\n", recv[3], cost.Messages, cost.Time)
	// Output: rank 3 has "hello" after 3 messages and 3 latencies
}
