package kerneltest

import (
	"fmt"
	"testing"

	"gobench/kernels/application"
	"gobench/kernels/npb"
)

// Verify runs a kernel twice, because an instance may run again, and wants the
// official results, and phases that add up to the time of the run.
func Verify(t *testing.T, k *npb.Kernel, class npb.Class, transport string, ranks, threads int) {
	t.Helper()
	Run(t, transport, ranks, threads, func(r *application.Rank) error {
		instance, err := k.New(r, class)
		if err != nil {
			return err
		}
		for range 2 {
			o, err := npb.Run(r, k, class, instance)
			if err != nil {
				return err
			}
			if !o.Verified {
				return fmt.Errorf("%s class %v: %+v", k.Name, class, o.Checks)
			}
			if err := wholeTime(r); err != nil {
				return fmt.Errorf("%s class %v: %w", k.Name, class, err)
			}
		}
		return nil
	})
}

// Rate is a benchmark of a whole kernel in shared memory: Mop/s as NPB counts them.
func Rate(b *testing.B, k *npb.Kernel, class npb.Class, ranks, threads int) {
	var best float64
	Run(b, Shared, ranks, threads, func(r *application.Rank) error {
		instance, err := k.New(r, class)
		if err != nil {
			return err
		}
		if r.Comm.Rank() == 0 {
			b.ResetTimer()
		}
		for range b.N {
			o, err := npb.Run(r, k, class, instance)
			if err != nil {
				return err
			}
			if r.Comm.Rank() == 0 {
				best = max(best, o.Mops)
			}
		}
		return nil
	})
	b.ReportMetric(best, "Mop/s")
}
