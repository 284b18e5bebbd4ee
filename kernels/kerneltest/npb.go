package kerneltest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"gobench/kernels/application"
	"gobench/kernels/npb"
)

// ClassS checks for the official results of class S on each of the numbers of ranks, over both
// transports, and on two ranks with each of the numbers of threads. With -short, as under the race
// detector, it does a single run with everything that can race: several ranks with threads. With
// many steps, which have the same accesses, that run is one of the first step.
func ClassS(t *testing.T, k *npb.Kernel, ranks, threads []int) {
	t.Helper()
	if testing.Short() {
		Briefly(t, k)
		return
	}
	for _, n := range ranks {
		for _, transport := range []string{Memory, Shared} {
			t.Run(fmt.Sprintf("%s/%d", transport, n), func(t *testing.T) { Verify(t, k, npb.S, transport, n, 1) })
		}
	}
	for _, n := range threads {
		t.Run(fmt.Sprintf("threads/%d", n), func(t *testing.T) { Verify(t, k, npb.S, Shared, 2, n) })
	}
}

// Briefly runs class S on the fewest ranks above one, of two threads each; with -short, of kernels
// with many steps only the first.
func Briefly(t *testing.T, k *npb.Kernel) {
	t.Helper()
	n := 2
	for k.Legal(npb.S, n) != nil {
		n++
	}
	if testing.Short() && k.Problem(npb.S).Iterations > 80 {
		begins(t, k, n)
	} else {
		verify(t, k, npb.S, Shared, n, 2, 1)
	}
}

// Verify runs an instance of a kernel and checks for the official results, and that the phases add
// up to the time of the run. Class S is run twice: that an instance can be run again depends on no
// class.
func Verify(t *testing.T, k *npb.Kernel, class npb.Class, transport string, ranks, threads int) {
	t.Helper()
	times := 1
	if class == npb.S {
		times = 2
	}
	verify(t, k, class, transport, ranks, threads, times)
}

func verify(t *testing.T, k *npb.Kernel, class npb.Class, transport string, ranks, threads, times int) {
	t.Helper()
	Run(t, transport, ranks, threads, func(r *application.Rank) error {
		instance, err := k.Make(r, class)
		if err != nil {
			return err
		}
		for range times {
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

// begins runs class S until its first timed step is complete, which follows one before the timed
// region.
func begins(t *testing.T, k *npb.Kernel, ranks int) {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	end()
	Run(t, Shared, ranks, 2, func(r *application.Rank) error {
		instance, err := k.Make(application.NewRank(ctx, r.Comm, r.Team), npb.S)
		if err != nil {
			return err
		}
		if _, err := instance.Run(); !errors.Is(err, application.ErrInterrupted) {
			return fmt.Errorf("%s class S: %v after the first step, want %v", k.Name, err, application.ErrInterrupted)
		}
		return nil
	})
}

// Rate is a benchmark of a whole kernel in shared memory, in Mop/s as defined by NPB.
func Rate(b *testing.B, k *npb.Kernel, class npb.Class, ranks, threads int) {
	var best float64
	Run(b, Shared, ranks, threads, func(r *application.Rank) error {
		instance, err := k.Make(r, class)
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
