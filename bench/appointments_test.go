package bench_test

import (
	"strings"
	"testing"

	"gobench/bench"
	"gobench/internal/bench/benchtest"
)

// late is a network on which every announcement of a start reaches rank 2 too late, except the
// first ones. The runner uses 15 to measure the time of an announcement.
func late(first int) *benchtest.Net {
	net := clocked(3)
	announced := 0
	net.Late = func(src, dst, size int) int64 {
		if src != 0 || dst != 2 || size != 24 { // of a number
			return 0
		}
		if announced++; announced <= first {
			return 0
		}
		return 1_000_000
	}
	return net
}

// By default the runner falls back to a barrier, with a warning.
func TestBarrierWhereStartsAreLate(t *testing.T) {
	plan := collective(bench.StartAuto, onTime, 8)
	plan.Processors = 3 // no more ranks than cores on any machine
	p := run(t, late(15), plan).Points[0]
	if p.Start != "barrier" || p.Invalid < 20 || p.Iterations < 30 || !strings.Contains(strings.Join(p.Warnings, ";"), "behind a barrier instead") {
		t.Errorf("start %s, %d invalid of %d, warnings %q", p.Start, p.Invalid, p.Iterations, p.Warnings)
	}
	if p := run(t, clocked(3), plan).Points[0]; p.Start != "time" || p.Invalid != 0 || len(p.Warnings) != 0 {
		t.Errorf("no rank late: start %s, %d invalid, warnings %q", p.Start, p.Invalid, p.Warnings)
	}
}

// The trial is in time and no other start is, until the budget is used.
func TestBarrierWhereOnlyTheTrialIsInTime(t *testing.T) {
	plan := collective(bench.StartAuto, onTime, 8)
	plan.Processors, plan.Stop.Budget = 3, 1
	p := run(t, late(16), plan).Points[0]
	if p.Start != "barrier" || p.Iterations == 0 || !strings.Contains(strings.Join(p.Warnings, ";"), "behind a barrier instead") {
		t.Errorf("start %s, %d samples, warnings %q", p.Start, p.Iterations, p.Warnings)
	}
}

// If StartTime is requested and all starts are missed, the run ends with an error.
func TestNoNumberWhereAllStartsAreLate(t *testing.T) {
	found := &benchtest.Found{}
	for rank, err := range benchtest.Run(t.Context(), late(15).Devices(), collective(bench.StartTime, onTime, 8), found) {
		if err == nil || !strings.Contains(err.Error(), "start=barrier") {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
	if len(found.Points) != 0 {
		t.Errorf("points: %v", found.Points)
	}
}
