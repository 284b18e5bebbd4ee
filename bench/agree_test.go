package bench_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"gobench/bench"
	"gobench/device"
	"gobench/internal/bench/benchtest"
	"gobench/record"
)

func TestOneWrongByteEndsTheRunOnAllRanks(t *testing.T) {
	for _, ranks := range []int{2, 4} {
		net := slow(ranks)
		spoiled := false
		net.Spoil = func(src, dst int, i int64, data []byte) {
			if src == ranks-1 && len(data) == 1000 && !spoiled {
				spoiled = true
				data[789] ^= 4
			}
		}
		found := &benchtest.Found{}
		errs := benchtest.Run(t.Context(), net.Devices(), echoes(8, 1000, 2000), found)
		for rank, err := range errs {
			var d *bench.DataError
			if !errors.As(err, &d) {
				t.Fatalf("rank %d: %v", rank, err)
			}
			if d.Rank != ranks/2-1 || d.Source != ranks-1 || d.Size != 1000 || d.Offset != 789 || d.Got != d.Want^4 || d.Bench != "echo" {
				t.Errorf("rank %d: %+v", rank, d)
			}
		}
		if len(found.Points) != 1 {
			t.Errorf("%d points: only the cell before the defect has one", len(found.Points))
		}
	}
}

// A wrong byte in any control message of rank 0 to a rank that has no other message from it (with
// four ranks, 1 pairs with 3) ends the run with a defect.
func TestWrongByteInControlMessages(t *testing.T) {
	for at := int64(0); ; at++ {
		net := slow(4)
		spoiled := false
		net.Spoil = func(src, dst int, i int64, data []byte) {
			if src == 0 && dst == 1 && i == at {
				spoiled = true
				data[int(at*7)%len(data)] ^= 0x10
			}
		}
		errs := benchtest.Run(t.Context(), net.Devices(), echoes(100), &benchtest.Found{})
		if !spoiled {
			if at < 10 {
				t.Errorf("only %d control messages", at)
			}
			return
		}
		for _, rank := range []int{0, 1} {
			var d *bench.DataError
			if !errors.As(errs[rank], &d) || !d.Control {
				t.Fatalf("message %d from rank 0 to 1: rank %d: %v", at, rank, errs[rank])
			}
		}
	}
}

func TestRanksWithOtherPlansAreOutOfStep(t *testing.T) {
	channels := slow(2).Devices()
	var wg sync.WaitGroup
	errs := make([]error, 2)
	for i, plan := range []bench.Plan{echoes(8, 16), echoes(8, 32)} {
		wg.Go(func() { errs[i] = bench.Run(t.Context(), channels[i], plan, &benchtest.Found{}) })
	}
	wg.Wait()
	for rank, err := range errs {
		var r *bench.RankError
		if !errors.As(err, &r) || r.Rank != 1 || !strings.Contains(err.Error(), "same plan") {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}

func TestSinkErrorsEndTheRun(t *testing.T) {
	full := errors.New("disk is full")
	for name, found := range map[string]*benchtest.Found{
		"started":  {OnEvent: func(bench.Event) error { return full }},
		"point":    {OnPoint: func(record.Point) error { return full }},
		"progress": {OnEvent: func(e bench.Event) error { return map[bool]error{true: full}[e.Progress != nil] }},
	} {
		errs := benchtest.Run(t.Context(), slow(2).Devices(), echoes(8, 16), found)
		var r *bench.RankError
		if !errors.Is(errs[0], full) || !errors.As(errs[1], &r) || r.Rank != 0 {
			t.Errorf("%s: %v", name, errs)
		}
	}
}

func TestLostPeerIsNamed(t *testing.T) {
	net := slow(2)
	found := &benchtest.Found{OnPoint: func(record.Point) error { net.Lose(1); return nil }}
	err := benchtest.Run(t.Context(), net.Devices(), echoes(8, 16, 32), found)[0]
	var p *device.PeerError
	if !errors.As(err, &p) || p.Rank != 1 {
		t.Errorf("got %v", err)
	}
	if len(found.Points) != 1 {
		t.Errorf("%d points were kept, 1 was measured", len(found.Points))
	}
}

func TestInterruptKeepsFinishedCells(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	found := &benchtest.Found{OnPoint: func(record.Point) error { cancel(); return nil }}
	for rank, err := range benchtest.Run(ctx, slow(2).Devices(), echoes(8, 16), found) {
		if !errors.Is(err, bench.ErrInterrupted) {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
	if len(found.Points) != 1 {
		t.Errorf("%d points", len(found.Points))
	}
}

func TestInterruptBeforeThirtySamplesGivesNoNumber(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	found := &benchtest.Found{OnEvent: func(bench.Event) error { cancel(); return nil }}
	for rank, err := range benchtest.Run(ctx, slow(4).Devices(), echoes(8, 16), found) {
		if !errors.Is(err, bench.ErrInterrupted) {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
	if len(found.Points) != 0 {
		t.Errorf("%d points", len(found.Points))
	}
}

// One rank is interrupted, in the middle of a case.
func TestInterruptInACellGivesAMarkedPoint(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	plan := echoes(8, 16)
	plan.Stop.Budget = 10 * second
	found := &benchtest.Found{OnEvent: func(e bench.Event) error {
		if e.Progress != nil && !e.Progress.WarmUp {
			cancel()
		}
		return nil
	}}
	channels := slow(2).Devices()
	errs := make([]error, 2)
	var wg sync.WaitGroup
	for i, c := range []context.Context{t.Context(), ctx} {
		wg.Go(func() { errs[i] = bench.Run(c, channels[i], plan, found) })
	}
	wg.Wait()
	for rank, err := range errs {
		if !errors.Is(err, bench.ErrInterrupted) {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
	if len(found.Points) != 1 {
		t.Fatalf("%d points", len(found.Points))
	}
	p := found.Points[0]
	if p.Stopped != "interrupted" || !strings.Contains(strings.Join(p.Warnings, "\n"), "cut short") {
		t.Errorf("stopped %q, warnings %q", p.Stopped, p.Warnings)
	}
}

func TestPlansThatCannotRunAreRefused(t *testing.T) {
	for _, test := range []struct {
		ranks int
		plan  bench.Plan
		want  string
	}{
		{1, echoes(8), "echo needs at least 2 ranks, there is 1: use np=2"},
		{3, echoes(8), "echo works in pairs and needs an even number of ranks, there are 3: use np=4"},
		{2, echoes(-1), "echo with size -1 and window 0: neither can be negative"},
	} {
		for _, err := range benchtest.Run(t.Context(), slow(test.ranks).Devices(), test.plan, &benchtest.Found{}) {
			var p *bench.PlanError
			if !errors.As(err, &p) || err.Error() != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
		}
	}
	raw := echoes(8)
	raw.Cases[0].Memory = bench.Device
	if err := raw.Check(2); err == nil {
		t.Error("memory=device is accepted at level raw, which has no allocator")
	}
}

func TestBenchmarksDeclareTheirBuffers(t *testing.T) {
	plan := echoes(10000)
	plan.Cases[0].Bench.Buffers = bench.Fixed(1)
	for rank, err := range benchtest.Run(t.Context(), slow(2).Devices(), plan, &benchtest.Found{}) {
		if err == nil || !strings.Contains(err.Error(), "declares 1 buffers of 10000 bytes and uses 20000") {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}

func TestTooLargeSizesAreRefusedByAllRanks(t *testing.T) {
	found := &benchtest.Found{}
	for rank, err := range benchtest.Run(t.Context(), slow(2).Devices(), echoes(8, 1<<50), found) {
		var m *bench.MemoryError
		if !errors.As(err, &m) || m.Size != 1<<50 {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
	if len(found.Points) != 0 {
		t.Error("measured before it was refused")
	}
}
