package tcp

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"gobench/device"
)

// TestNoAllocation plays ping-pong over engine poll, with messages that take
// every path, and counts what the whole process allocates meanwhile.
func TestNoAllocation(t *testing.T) {
	for _, size := range []int{0, 8, 4 << 10, 40_000, 64 << 10, 1 << 20} {
		for _, connections := range []string{"1", "2"} {
			t.Run(fmt.Sprintf("%d-%s", size, connections), func(t *testing.T) {
				const rounds = 200
				must(t, 2, func(ctx context.Context, job device.Job) error {
					d, err := driver{}.Open(ctx, job, options(t, "connections", connections))
					if err != nil {
						return err
					}
					defer d.Close()
					out, in := make([]byte, size), make([]byte, size)
					play := func() error {
						for range rounds {
							if job.Rank() == 0 {
								if err := d.Send(out, 1, 0, 0); err != nil {
									return err
								}
							}
							if _, err := d.Recv(in, 1-job.Rank(), 0, 0); err != nil {
								return err
							}
							if job.Rank() == 1 {
								if err := d.Send(out, 0, 0, 0); err != nil {
									return err
								}
							}
						}
						return nil
					}
					if err := play(); err != nil {
						return err
					}
					var before, after runtime.MemStats
					if job.Rank() == 0 {
						runtime.ReadMemStats(&before)
					}
					if err := play(); err != nil {
						return err
					}
					if job.Rank() == 0 {
						runtime.ReadMemStats(&after)
						// The runtime itself allocates now and then, such as for
						// the timers of a rank that sleeps: never once an operation.
						if n := after.Mallocs - before.Mallocs; n > rounds/10 {
							t.Errorf("%d allocations in %d rounds", n, rounds)
						}
					}
					return nil
				})
			})
		}
	}
}
