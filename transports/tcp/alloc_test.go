package tcp

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync/atomic"
	"testing"

	"gobench/device"
)

// TestNoAllocation plays ping-pong over engine poll, with messages that take every path, and
// counts what the whole process allocates meanwhile. An operation that allocates does so in every
// window of rounds; the Go runtime does now and then, for example for each thread that it starts,
// of which a busy machine makes it start several. So one window without an allocation is enough,
// and one allocation in each is too many.
func TestNoAllocation(t *testing.T) {
	for _, size := range []int{0, 8, 4 << 10, 40_000, 64 << 10, 1 << 20} {
		for _, connections := range []string{"1", "2"} {
			t.Run(fmt.Sprintf("%d-%s", size, connections), func(t *testing.T) {
				const rounds, windows = 100, 20
				var none atomic.Bool // of the allocations in a window, by rank 0
				must(t, 2, func(ctx context.Context, job device.Job) error {
					d, err := driver{}.Open(ctx, job, options(t, "connections", connections))
					if err != nil {
						return err
					}
					defer d.Close()
					out, in := make([]byte, size), make([]byte, size)
					play := func() error {
						if job.Rank() == 0 {
							if err := d.Send(out, 1, 0, 0); err != nil {
								return err
							}
						}
						if _, err := d.Recv(in, 1-job.Rank(), 0, 0); err != nil {
							return err
						}
						if job.Rank() == 1 {
							return d.Send(out, 0, 0, 0)
						}
						return nil
					}
					var before, after runtime.MemStats
					fewest := uint64(math.MaxUint64)
					for window := 0; window < windows && !none.Load(); window++ {
						// Rank 1 plays on when rank 0 has counted: what it does at its end is not
						// counted.
						for round := range rounds {
							if job.Rank() == 0 && round == 1 {
								runtime.ReadMemStats(&before)
							}
							if job.Rank() == 0 && round == rounds-1 {
								runtime.ReadMemStats(&after)
								if window > 0 { // the first one warms up
									fewest = min(fewest, after.Mallocs-before.Mallocs)
								}
								none.Store(fewest == 0) // before the message after which rank 1 looks
							}
							if err := play(); err != nil {
								return err
							}
						}
					}
					if job.Rank() == 0 && fewest > 0 {
						t.Errorf("at least %d allocations in %d rounds, in each of %d windows", fewest, rounds-2, windows-1)
					}
					return nil
				})
			})
		}
	}
}
