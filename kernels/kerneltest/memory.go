package kerneltest

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"gobench/comm"
	"gobench/kernels/application"
)

// aside bounds the bytes that a rank allocates independently of the class: communicators,
// operators, requests, unexpected messages.
const aside = 64 << 10

// Fits checks that the bytes that all ranks of p allocate until the end of a run are within 10 % of
// p.Memory, plus aside for each rank. With first the run ends after its first step.
func Fits(t *testing.T, p application.Program, ranks, threads int, first bool) {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	if first {
		end()
	}
	var before, after runtime.MemStats
	Run(t, Shared, ranks, threads, func(r *application.Rank) error {
		read := func(m *runtime.MemStats) error {
			if err := comm.Barrier(r.Comm); err != nil {
				return err
			}
			if r.Comm.Rank() == 0 {
				runtime.ReadMemStats(m)
			}
			return comm.Barrier(r.Comm)
		}
		if err := read(&before); err != nil {
			return err
		}
		instance, err := p.New(application.NewRank(ctx, r.Comm, r.Team))
		if err != nil {
			return err
		}
		if _, err := instance.Run(); err != nil && !(first && errors.Is(err, application.ErrInterrupted)) {
			return err
		}
		return read(&after)
	})
	// TotalAlloc includes freed memory. So does Memory, because the collector is off during runs.
	allocated, predicted := float64(after.TotalAlloc-before.TotalAlloc), float64(p.Memory(ranks, threads))
	if allocated < 0.9*predicted || allocated > 1.1*predicted+float64(ranks*aside) {
		t.Errorf("%s on %d ranks of %d threads allocates %.0f bytes, %.3f of the %.0f that Memory returns", p.Name, ranks, threads, allocated, allocated/predicted, predicted)
	}
}
