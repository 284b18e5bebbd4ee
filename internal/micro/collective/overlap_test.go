package collective_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"gobench/bench"
	"gobench/comm"
	"gobench/comm/coll"
	"gobench/comm/schedule"
	"gobench/device"
	"gobench/internal/bench/benchtest"
	"gobench/internal/micro/collective"
	"gobench/launch"
	_ "gobench/transports/smem"
	_ "gobench/transports/tcp"
)

// over runs cells with goroutines as ranks.
func over(t *testing.T, transport string, ranks int, cells []bench.Case) (*benchtest.Found, error) {
	t.Helper()
	return overChanged(t, transport, ranks, cells, func(_ int, d device.Device) device.Device { return d })
}

// overChanged is over with other devices.
func overChanged(t *testing.T, transport string, ranks int, cells []bench.Case, change func(rank int, d device.Device) device.Device) (*benchtest.Found, error) {
	t.Helper()
	driver, err := device.Lookup(transport)
	if err != nil {
		t.Fatal(err)
	}
	options, err := device.ParseOptions(driver.Options(), nil)
	if err != nil {
		t.Fatal(err)
	}
	plan := bench.Plan{
		Run: "test", Level: "comm", Noise: -1, Start: bench.StartBarrier, Cases: cells,
		Stop: bench.Stop{Budget: 5 * time.Millisecond},
	}
	found := &benchtest.Found{}
	return found, launch.Goroutines(t.Context(), ranks, func(ctx context.Context, job device.Job) error {
		d, err := driver.Open(ctx, job, options)
		if err != nil {
			return err
		}
		world, err := comm.World(change(job.Rank(), d), comm.Options{})
		if err != nil {
			return errors.Join(err, d.Close())
		}
		ch, err := comm.NewChannel(world)
		if err != nil {
			return errors.Join(err, d.Close())
		}
		return errors.Join(bench.Run(ctx, ch, plan, found), ch.Close())
	})
}

// Every operation with a non-blocking form has an overlap ratio, with and without tests during the
// computation, in all ranks and in groups.
func TestOverlapOfEveryOperation(t *testing.T) {
	var cells []bench.Case
	for kind := range schedule.Kind(schedule.Kinds) {
		for _, polls := range []int{0, 3} {
			b := collective.New(kind, collective.Options{Overlap: true, InPlace: polls > 0 && collective.CanInPlace(kind) == nil})
			cells = append(cells, bench.Case{Bench: b, Size: 4000 * len(cells), Groups: 1 + len(cells)%2, Polls: polls})
		}
	}
	if len(cells) != 2*int(schedule.Kinds) {
		t.Fatalf("%d cells", len(cells))
	}
	found, err := over(t, "tcp", 4, cells)
	if err != nil {
		t.Fatal(err)
	}
	measured := found.Cells()
	if len(measured) != len(cells) {
		t.Fatalf("points of %d cells for %d", len(measured), len(cells))
	}
	for i, points := range measured {
		for state, p := range points {
			if p.Bench != cells[i].Bench.Name || p.Bench[0] != 'i' || p.Ranks != 4/cells[i].Groups {
				t.Errorf("%s of %d ranks", p.Bench, p.Ranks)
			}
			if err := p.Validate(); err != nil {
				t.Error(err)
			}
			if state > 0 { // the phases belong to the longest state of the cores
				continue
			}
			for _, metric := range []string{"pure_s", "compute_s", "overlapped_s"} {
				if p.Metrics.Median(metric) <= 0 {
					t.Errorf("%s: no %s", p.Bench, metric)
				}
			}
			if r, ok := p.Metrics.Lookup("overlap_ratio"); !ok || r.Median < 0 || r.Median > 1 {
				t.Errorf("%s: overlap %v", p.Bench, r)
			}
		}
	}
}

// The number of operations timed together depends on the case, not on the algorithm. Operations
// that do not depend on the previous one are timed alone.
func TestAlgorithmsOfACellAreTimedAlike(t *testing.T) {
	for _, kind := range []schedule.Kind{schedule.Barrier, schedule.Bcast, schedule.Reduce, schedule.Allreduce} {
		size := 64
		if kind == schedule.Barrier {
			size = 0
		}
		var cells []bench.Case
		for _, a := range coll.Of(kind) {
			if a.Hosts || a.Library { // the ranks of this test are on one, over no library
				continue
			}
			b := collective.New(kind, collective.Options{Algorithm: &coll.Choice{Algorithm: &a}})
			cells = append(cells, bench.Case{Bench: b, Size: size})
		}
		if len(cells) < 2 {
			t.Fatalf("%v: %d algorithms", kind, len(cells))
		}
		found, err := over(t, "smem", 2, cells)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range found.Points {
			if alone := p.Batched == 0; alone == (kind == schedule.Barrier) || p.Batched != found.Points[0].Batched {
				t.Errorf("%s, %s: batched=%d, %s has %d", p.Bench, p.Algorithm, p.Batched, found.Points[0].Algorithm, found.Points[0].Batched)
			}
		}
	}
}
