package pair_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"gobench/device"
	"gobench/internal/launch/pair"
	"gobench/launch"
)

// run has every rank open a Meter and call do with it.
func run(t *testing.T, ranks int, do func(rank int, m *pair.Meter) error) {
	t.Helper()
	err := launch.Goroutines(t.Context(), ranks, func(ctx context.Context, job device.Job) error {
		m, err := pair.Open(ctx, job, runtime.NumCPU())
		if err != nil {
			return err
		}
		defer m.Close()
		return do(job.Rank(), m)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestDistanceOfTwoRanks(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("one processor: ranks would share it, and nothing is measured")
	}
	run(t, 2, func(rank int, m *pair.Meter) error {
		for i, rounds := range []int{1, 50, 3, 4, 2, 9} { // the first line is used again
			d, err := m.CoreLatency(1-rank, i, rounds)
			if err != nil {
				return err
			}
			if d <= 0 {
				t.Errorf("rank %d: distance %v s of %d rounds", rank, d, rounds)
			}
		}
		return nil
	})
}

// More ranks than processors take turns: a distance would be that of the scheduler.
func TestNothingIsMeasuredOnSharedCores(t *testing.T) {
	run(t, runtime.NumCPU()+1, func(rank int, m *pair.Meter) error {
		if d, err := m.CoreLatency((rank+1)%2, 0, 10); d != 0 || err != nil || m.Measures() {
			t.Errorf("rank %d: distance %v, %v", rank, d, err)
		}
		return nil
	})
}

func TestRingIsTheSameOnAllRanks(t *testing.T) {
	for ranks := 2; ranks <= min(5, runtime.NumCPU()); ranks++ {
		var mu sync.Mutex
		seen := map[[2]float64]bool{}
		err := launch.Goroutines(t.Context(), ranks, func(ctx context.Context, job device.Job) error {
			m, err := pair.Open(ctx, job, runtime.NumCPU())
			if err != nil {
				return err
			}
			defer m.Close()
			lowest, highest, err := m.Ring(ctx)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			seen[[2]float64{lowest, highest}] = true
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for d := range seen {
			if len(seen) != 1 || d[0] <= 0 || d[1] < d[0] {
				t.Errorf("%d ranks: %v", ranks, seen)
			}
		}
	}
}

func TestWrongPeer(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("one processor: nothing is measured")
	}
	run(t, 2, func(rank int, m *pair.Meter) error {
		var wrong *device.ArgumentError
		for _, peer := range []int{-1, rank, 2} {
			if _, err := m.CoreLatency(peer, 0, 10); !errors.As(err, &wrong) {
				t.Errorf("peer %d: %v", peer, err)
			}
		}
		if _, err := m.CoreLatency(1-rank, -1, 10); !errors.As(err, &wrong) {
			t.Errorf("line -1: %v", err)
		}
		return nil
	})
}

// A rank whose peer does not come, because it is stopped, can be interrupted.
func TestInterruptedWaitForAPeer(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("one processor: ranks would share it, and nothing is measured")
	}
	cause := errors.New("the test interrupts")
	over := make(chan struct{})
	run(t, 2, func(rank int, m *pair.Meter) error {
		if rank == 1 {
			<-over
			return nil
		}
		defer close(over)
		m.Interrupt(cause)
		_, err := m.CoreLatency(1, 0, 10)
		if in := (*device.InterruptedError)(nil); !errors.As(err, &in) || in.Rank != 1 || !errors.Is(err, cause) {
			t.Errorf("error %v, want an *InterruptedError that names rank 1", err)
		}
		return nil
	})
}
