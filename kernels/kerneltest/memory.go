package kerneltest

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"gobench/comm"
	"gobench/kernels/application"
)

// aside is the greatest number of bytes of a rank that depend on no class: communicators,
// operators, requests, messages that come early.
const aside = 64 << 10

// Fits checks that what all ranks of p allocate until the end of a run is within 10 % of what
// Memory returns, but for what depends on no class. With first the run ends after its first step.
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
	// What was allocated and freed is counted too, because the collector is off during runs.
	allocated, says := float64(after.TotalAlloc-before.TotalAlloc), float64(p.Memory(ranks, threads))
	if allocated < 0.9*says || allocated > 1.1*says+float64(ranks*aside) {
		t.Errorf("%s on %d ranks of %d threads allocates %.0f bytes, %.3f of the %.0f that it says", p.Name, ranks, threads, allocated, allocated/says, says)
	}
}
