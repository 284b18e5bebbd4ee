package micro_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"gobench/bench"
	"gobench/comm"
	"gobench/device"
	"gobench/internal/device/decorator"
	"gobench/internal/micro"
)

// threaded lists the cases of benchmarks that several threads of a rank run.
func threaded(threads int) (cases []bench.Case) {
	for _, b := range micro.All() {
		if b.Threads {
			cases = append(cases, bench.Case{Bench: b, Size: 1000, Window: 4, Threads: threads})
		}
	}
	return cases
}

// Benchmarks run with several threads, with one after that, and count the messages of all threads.
func TestThreads(t *testing.T) {
	for _, transport := range []string{"smem", "tcp"} {
		measured(t, transport, 2, slices.Concat(threaded(2), threaded(0)[:1], threaded(3)[:2]))
	}
}

// Every benchmark fails if a byte that its last thread receives is wrong, on either rank.
func TestEveryThreadDetectsAWrongByte(t *testing.T) {
	const threads = 2
	for _, c := range threaded(threads) {
		last := threads - 1
		if c.Bench.Turns != nil {
			last = 0 // the channel of all
		}
		for spoiled := range 2 {
			errs, found := runWindows(t, "smem", 2, []bench.Case{c}, func(rank int, d device.Device, ready *bool) device.Device {
				data := func(context int32) bool { // world, its control, and the threads have two contexts each
					return *ready && rank == spoiled && context >= comm.FirstContext+4+2*int32(last)
				}
				return decorator.CorruptIn(data, d, 1, new(decorator.Tally))
			})
			var wrong *bench.DataError
			if !errors.As(errs[0], &wrong) || !errors.As(errs[1], &wrong) || len(found.Points) != 0 {
				t.Errorf("%s, rank %d: %v, %d points from wrong data", c.Bench.Name, spoiled, errs, len(found.Points))
			}
		}
	}
}

// Threads need a communicator, and a benchmark that is for as many.
func TestThreadsThatDoNotFit(t *testing.T) {
	var bad *bench.PlanError
	for _, c := range []struct {
		level, name string
		threads     int
	}{{"device", "pingpong", 2}, {"comm", "expected", 2}, {"comm", "pingpong_turns", 1}} {
		b, err := micro.Lookup(c.name)
		if err != nil {
			t.Fatal(err)
		}
		plan := bench.Plan{Level: c.level, Cases: []bench.Case{{Bench: b, Threads: c.threads}}}
		if err := plan.Check(2); !errors.As(err, &bad) || !strings.Contains(bad.Reason, "thread") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
