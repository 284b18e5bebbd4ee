package bench_test

import (
	"context"
	"fmt"

	"gobench/bench"
	"gobench/device"
	"gobench/internal/bench/benchtest"
)

// A benchmark is one value and one type. This one sends a message around the ring of all ranks:
// rank 0 starts it and waits until it comes back.
func Ring() bench.Benchmark {
	return bench.Benchmark{
		Name:    "ring",
		About:   "a message once around all ranks",
		Pattern: bench.Chain,
		Metric:  "t_s", Scale: 1, // the time of an event
		Amount:  func(ranks, _ int) int { return ranks }, // messages in that time
		Formula: "t = time of one round, bandwidth = ranks x size / t",
		Buffers: bench.Fixed(2),
		Timed:   func(rank, _ int) bool { return rank == 0 },
		New: func(env *bench.Env) bench.Op {
			left := (env.Rank() + env.Size() - 1) % env.Size()
			right := (env.Rank() + 1) % env.Size()
			return &ring{env.Channel, left, right, env.Send(0), env.Recv(left, 0)}
		},
	}
}

type ring struct {
	ch          device.Channel
	left, right int
	out, in     []byte
}

// Do is timed. The runner fills out before and checks in after.
func (r *ring) Do(k int) error {
	for range k {
		if r.ch.Rank() == 0 {
			if err := r.ch.Send(r.out, r.right, 1, bench.Context); err != nil {
				return err
			}
		}
		if _, err := r.ch.Recv(r.in, r.left, 1, bench.Context); err != nil {
			return err
		}
		if r.ch.Rank() != 0 {
			if err := r.ch.Send(r.out, r.right, 1, bench.Context); err != nil {
				return err
			}
		}
	}
	return nil
}

// A simulated network checks the formula: each of three hops takes 100 ns to send, 1000 ns and 1 ns
// per byte for the transfer, and 100 ns to receive.
func Example() {
	net := &benchtest.Net{Ranks: 3, Overhead: 100, Latency: 1000, PerByte: 1}
	plan := bench.Plan{
		Run: "example", Level: "raw", Noise: -1,
		Cases: []bench.Case{{Bench: Ring(), Size: 300}},
	}
	found := &benchtest.Found{}
	for _, err := range benchtest.Run(context.Background(), net.Devices(), plan, found) {
		if err != nil {
			fmt.Println(err)
		}
	}
	p := found.Points[0]
	fmt.Printf("%s, %d ranks, %d B: t = %.1f us, %.0f MB/s\n", p.Bench, p.Ranks, p.Size,
		p.Metrics.Median("t_s")*1e6, p.Metrics.Median("bandwidth_Bps")/1e6)
	// Output: ring, 3 ranks, 300 B: t = 4.5 us, 200 MB/s
}
