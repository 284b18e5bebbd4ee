package micro_test

import (
	"testing"

	"gobench/bench"
	"gobench/internal/allocs"
	"gobench/internal/bench/benchtest"
)

// Timed code does not allocate: neither the benchmarks nor, once warm, the simulated network.
func TestTimedOperationsAllocateNothing(t *testing.T) {
	for _, b := range messages() { // gob, which allocates, is not among them
		for _, size := range []int{0, 4096} {
			const runs, warm = 100, 20
			net := &benchtest.Net{Ranks: 2, Latency: 1000, Overhead: 100}
			channels := net.Devices()
			done := make(chan error, 1)
			go func() {
				op := b.New(bench.NewEnv(channels[1], size, 16))
				done <- op.Do(warm + allocs.Calls(runs)*3)
			}()
			op := b.New(bench.NewEnv(channels[0], size, 16))
			if err := op.Do(warm); err != nil {
				t.Fatal(err)
			}
			var failed error
			n := allocs.Count(runs, func() {
				if err := op.Do(3); err != nil {
					failed = err
				}
			})
			if failed != nil {
				t.Fatal(failed)
			}
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			if n != 0 {
				t.Errorf("%s with %d B: %d allocations in %d events", b.Name, size, n, 3*runs)
			}
		}
	}
}
