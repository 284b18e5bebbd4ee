package bench

import "testing"

func TestBatchForBoundsTheCostOfTheClock(t *testing.T) {
	for _, test := range []struct {
		cost, resolution, event float64
		want                    int
	}{
		{0, 1e-9, 1e-6, 1},              // a free clock
		{25e-9, 1e-9, 1e-6, 1},          // 2.5 %
		{25e-9, 1e-9, 626e-9, 1},        // 4 %
		{25e-9, 1e-9, 624e-9, 2},        // just over
		{25e-9, 1e-9, 160e-9, 4},        // a shared-memory round trip
		{25e-9, 1e-9, 60e-9, 16},        // one line
		{0, 1e-6, 1e-6, 16},             // a coarse clock
		{25e-9, 1e-9, 0, maxBatch},      // too short to be seen
		{25e-9, 1e-3, 1e-9, maxBatch},   // never more than that
		{25e-9, 1e-9, 3.141592653e3, 1}, // an hour
	} {
		got := batchFor(test.cost, test.resolution, test.event)
		if got != test.want {
			t.Errorf("clock %g s, step %g s, event %g s: batches of %d, want %d", test.cost, test.resolution, test.event, got, test.want)
		}
		if sample := float64(got) * test.event; got < maxBatch && test.cost > clockTarget*sample*1.0001 {
			t.Errorf("clock %g s, event %g s: the clock is %.1f %% of a sample", test.cost, test.event, 100*test.cost/sample)
		}
	}
}
