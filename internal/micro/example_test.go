package micro_test

import (
	"context"
	"fmt"

	"gobench/bench"
	"gobench/device"
	"gobench/internal/bench/benchtest"
)

// Ring is the example of docs/extending.md: a message is sent once around the ring of all ranks.
func Ring() bench.Benchmark {
	return bench.Benchmark{
		Name:    "tokenring",
		About:   "a message passed on from rank to rank, once around",
		Pattern: bench.Chain,
		Metric:  "t_s", Scale: 1,
		Amount:  func(ranks, _ int) int { return ranks },
		Formula: "t = time of one turn, bandwidth = ranks x size / t",
		Buffers: bench.Fixed(2),
		Timed:   func(rank, _ int) bool { return rank == 0 },
		New: func(env *bench.Env) bench.Op {
			left, right := (env.Rank()+env.Size()-1)%env.Size(), (env.Rank()+1)%env.Size()
			return &ring{env.Channel, left, right, env.Send(0), env.Recv(left, 0)}
		},
	}
}

type ring struct {
	ch          device.Channel
	left, right int
	out, in     []byte
}

// Do runs k events. The runner fills out before and checks in after them.
func (r *ring) Do(k int) error {
	const tag = 1
	for range k {
		if r.ch.Rank() == 0 {
			if err := r.ch.Send(r.out, r.right, tag, bench.Context); err != nil {
				return err
			}
		}
		if _, err := r.ch.Recv(r.in, r.left, tag, bench.Context); err != nil {
			return err
		}
		if r.ch.Rank() != 0 {
			if err := r.ch.Send(r.out, r.right, tag, bench.Context); err != nil {
				return err
			}
		}
	}
	return nil
}

// A benchmark is tested on a simulated network with known times: here a message of 8 bytes takes
// 100 ns at each end, a latency of 1000 ns and 8 ns on the link.
func Example_ring() {
	net := &benchtest.Net{Ranks: 4, Latency: 1000, PerByte: 1, Overhead: 100}
	plan := bench.Plan{
		Run: "example", Level: "raw", Noise: -1,
		Cases: []bench.Case{{Bench: Ring(), Size: 8}},
	}
	var found benchtest.Found
	for _, err := range benchtest.Run(context.Background(), net.Devices(), plan, &found) {
		if err != nil {
			fmt.Println(err)
		}
	}
	p := found.Points[0]
	fmt.Printf("%s with %d ranks, %d B: %.3f us, messages checked: %t\n",
		p.Bench, p.Ranks, p.Size, p.Metrics.Median("t_s")*1e6, p.Checked > 0)
	// Output: tokenring with 4 ranks, 8 B: 4.832 us, messages checked: true
}
