package fdtd

import (
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"gobench/internal/bench/clock"
	"gobench/kernels/application"
	"gobench/kernels/kerneltest"
)

// Concurrent work is timed from the first start to the last end, however late some ranks get their
// core.
func TestTogetherIsFromTheFirstBeginToTheLastEnd(t *testing.T) {
	const ranks, rounds = 3, 200
	var first, last [rounds]atomic.Int64
	for i := range first {
		first[i].Store(1 << 62)
	}
	kerneltest.Run(t, kerneltest.Shared, ranks, 1, func(r *application.Rank) error {
		for round := range rounds {
			seconds, err := together(r, func() {
				lower(&first[round], clock.Now())
				raise(&last[round], clock.Now())
			})
			if err != nil {
				return err
			}
			if span := float64(last[round].Load()-first[round].Load()) / 1e9; seconds < span*(1-1e-9) {
				t.Errorf("rank %d, round %d: %.9f s, but from the first begin to the last end it is %.9f s", r.Comm.Rank(), round, seconds, span)
			}
		}
		return nil
	})
}

func lower(a *atomic.Int64, v int64) {
	for old := a.Load(); v < old && !a.CompareAndSwap(old, v); old = a.Load() {
	}
}

func raise(a *atomic.Int64, v int64) {
	for old := a.Load(); v > old && !a.CompareAndSwap(old, v); old = a.Load() {
	}
}

// Where ranks share cores no bandwidth bounds their run.
func TestACrowdHasNoBound(t *testing.T) {
	p := NewProblem(60, 50, 10)
	for _, ranks := range []int{1, runtime.NumCPU() + 1} {
		kerneltest.Run(t, kerneltest.Shared, ranks, 1, func(r *application.Rank) error {
			m, err := run(r, p, Options{Precision: "single"}, 1)
			if err != nil || r.Comm.Rank() != 0 {
				return err
			}
			_, recorded := m.Last.Facts["memory_Bps"]
			if alone := ranks == 1; strings.Contains(m.Last.Text, "at which the fields are read and written") != alone || recorded != alone {
				t.Errorf("%d ranks: %s%v", ranks, m.Last.Text, m.Last.Facts)
			}
			return nil
		})
	}
}
