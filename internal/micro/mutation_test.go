package micro_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"gobench/bench"
	"gobench/device"
	"gobench/internal/bench/benchtest"
	"gobench/internal/device/decorator"
	"gobench/launch"
	_ "gobench/transports/smem"
)

// notices fails the test unless every rank returns a *bench.DataError and there is no point.
func notices(t *testing.T, errs []error, found *benchtest.Found) {
	t.Helper()
	for rank, err := range errs {
		var d *bench.DataError
		if !errors.As(err, &d) {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
	if len(found.Points) != 0 {
		t.Errorf("%d points from wrong data", len(found.Points))
	}
}

// mutated returns the benchmarks of a list whose data is corrupted: all, or with -short one,
// because the reaction to wrong data is the same for all. The race detector runs with -short.
func mutated(list []bench.Benchmark) []bench.Benchmark {
	if testing.Short() {
		return list[:1]
	}
	return list
}

// Every benchmark fails if one byte, anywhere in every k-th message on one of the links, is wrong.
func TestEveryBenchmarkDetectsAWrongByte(t *testing.T) {
	for _, b := range mutated(messages()) {
		for _, ranks := range []int{2, 4} {
			for _, k := range []int64{1, 7} {
				for _, size := range []int{1, 1000, 70000} {
					for end := range 2 { // the link from the first rank to its partner, and back
						name := fmt.Sprintf("%s/%d ranks/%d B/every %d/end %d", b.Name, ranks, size, k, end)
						t.Run(name, func(t *testing.T) { spoil(t, b, ranks, size, k, end) })
					}
				}
			}
		}
	}
}

func spoil(t *testing.T, b bench.Benchmark, ranks, size int, k int64, end int) {
	other := 1 // the right neighbour
	if b.Pattern == bench.Pairs {
		other = ranks / 2
	}
	from, to := 0, other
	if end == 1 {
		from, to = other, 0
	}
	if b.Pattern == bench.Chain && b.Name == "sendrecv" && end == 1 {
		from, to = ranks-1, 0 // messages from the left
	}
	rng := rand.New(rand.NewPCG(uint64(k), uint64(size)))
	net := &benchtest.Net{Ranks: ranks, Latency: 1000, PerByte: 1, Overhead: 100}
	net.Spoil = func(src, dst int, i int64, data []byte) {
		if src == from && dst == to && i%k == k-1 && len(data) > 0 {
			data[rng.IntN(len(data))] ^= byte(1 + rng.IntN(255))
		}
	}
	plan := bench.Plan{Run: "test", Level: "raw", Noise: -1,
		Cases: []bench.Case{{Bench: b, Size: size, Window: 4}}}
	found := &benchtest.Found{}
	notices(t, benchtest.Run(t.Context(), net.Devices(), plan, found), found)
}

// The same over shared memory, where the decorator corrupts data that one rank receives, including
// control messages. The ranks must stay in step.
func TestEveryBenchmarkDetectsACorruptDevice(t *testing.T) {
	driver, err := device.Lookup("smem")
	if err != nil {
		t.Fatal(err)
	}
	options, err := device.ParseOptions(driver.Options(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range mutated(matched()) {
		for spoiled := range 2 {
			for _, every := range []int{1, 7} {
				for _, size := range []int{1, 100_000} {
					t.Run(fmt.Sprintf("%s/rank %d/every %d/%d B", b.Name, spoiled, every, size), func(t *testing.T) {
						plan := bench.Plan{Run: "test", Level: "device", Noise: -1,
							Cases: []bench.Case{{Bench: b, Size: size, Window: 4}}}
						found := &benchtest.Found{}
						errs := make([]error, 2)
						err := launch.Goroutines(t.Context(), 2, func(ctx context.Context, job device.Job) error {
							d, err := driver.Open(ctx, job, options)
							if err != nil {
								return err
							}
							defer d.Close()
							if job.Rank() == spoiled {
								d = decorator.CorruptIn(func(int32) bool { return true }, d, every, new(decorator.Tally))
							}
							errs[job.Rank()] = bench.Run(ctx, d, plan, found)
							return nil
						})
						if err != nil {
							t.Fatal(err)
						}
						notices(t, errs, found)
					})
				}
			}
		}
	}
}
