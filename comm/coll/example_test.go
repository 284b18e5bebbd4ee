package coll_test

import (
	"fmt"
	"os"

	"gobench/comm/coll"
	"gobench/comm/schedule"
	"gobench/comm/schedule/sim"
)

// The algorithms that the default table selects for an allreduce of 16 ranks over TCP.
func ExampleTable_Choose() {
	for _, bytes := range []int{8, 1 << 20} {
		shape := schedule.Shape{Kind: schedule.Allreduce, Ranks: 16, Bytes: bytes, Elem: 8, Commutative: true}
		fmt.Println(bytes, coll.Defaults().Choose("tcp", &shape, false))
	}
	// Output:
	// 8 recursive-doubling
	// 1048576 rabenseifner
}

// The latency of broadcasts to 16 ranks, from simulation.
func ExampleParseChoice() {
	const ranks = 16
	for _, name := range []string{"flat", "binomial", "knomial:4"} {
		choice, err := coll.ParseChoice(schedule.Bcast, name)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return
		}
		programs := make([]*schedule.Program, ranks)
		for rank := range programs {
			shape := schedule.Shape{Kind: schedule.Bcast, Ranks: ranks, Rank: rank, Bytes: 8, Elem: 1}
			programs[rank] = schedule.Build(shape, func(b *schedule.Builder) { choice.Build(b, choice.Number) })
		}
		cost, err := sim.Model{Alpha: 1}.Cost(programs)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return
		}
		fmt.Printf("%s: %v latencies\n", choice, cost.Time)
	}
	// Output:
	// flat: 15 latencies
	// binomial: 4 latencies
	// knomial:4: 6 latencies
}
