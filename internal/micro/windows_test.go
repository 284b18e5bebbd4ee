package micro_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"gobench/bench"
	"gobench/comm"
	"gobench/device"
	"gobench/device/devicetest/naive"
	"gobench/internal/allocs"
	"gobench/internal/bench/benchtest"
	"gobench/internal/device/decorator"
	"gobench/internal/micro"
	"gobench/internal/race"
	"gobench/launch"
)

// windowed lists the benchmarks of windows.
func windowed() (list []bench.Benchmark) {
	for _, b := range micro.All() {
		if b.Windows {
			list = append(list, b)
		}
	}
	return list
}

// runWindows runs cases over communicators of a transport, or of the device naive, whose regions do
// everything as late as they may; change may replace the device of a rank. It returns the errors by
// rank.
func runWindows(t *testing.T, transport string, ranks int, cases []bench.Case, change func(rank int, d device.Device, ready *bool) device.Device) ([]error, *benchtest.Found) {
	t.Helper()
	driver, err := device.Lookup(transport)
	if transport == "naive" {
		driver, err = &naive.Driver{}, nil
	}
	if err != nil {
		t.Fatal(err)
	}
	options, err := device.ParseOptions(driver.Options(), nil)
	if err != nil {
		t.Fatal(err)
	}
	plan := bench.Plan{Run: "test", Level: "comm", Noise: -1, Cases: cases, Stop: bench.Stop{Budget: 2 * time.Millisecond}}
	found := &benchtest.Found{}
	errs := make([]error, ranks)
	err = launch.Goroutines(t.Context(), ranks, func(ctx context.Context, job device.Job) error {
		d, err := driver.Open(ctx, job, options)
		if err != nil {
			return err
		}
		ready := false
		world, err := comm.World(change(job.Rank(), d, &ready), comm.Options{})
		if err != nil {
			return err
		}
		ch, err := comm.NewChannel(world)
		if err != nil {
			return err
		}
		ready = true
		if errs[job.Rank()] = bench.Run(ctx, ch, plan, found); errs[job.Rank()] != nil {
			return d.Close()
		}
		return ch.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
	return errs, found
}

func windowSizes(b bench.Benchmark) []int {
	if b.Only > 0 {
		return []int{b.Only}
	}
	return []int{1, 20_000}
}

// Every benchmark of windows runs with every kind of epoch, directly (smem) and by messages (tcp),
// in pairs.
func TestWindowsInEveryEpoch(t *testing.T) {
	for _, over := range []struct {
		transport string
		ranks     int
		list      []bench.Benchmark
	}{{"smem", 2, windowed()}, {"smem", 4, windowed()[:1]}, {"tcp", 2, windowed()}, {"naive", 2, windowed()}} {
		var cases []bench.Case
		for i, b := range over.list {
			sizes := windowSizes(b)
			if i == 0 {
				sizes = append(sizes, 0)
			}
			for _, size := range sizes {
				for _, epoch := range bench.Epochs() {
					cases = append(cases, bench.Case{Bench: b, Size: size, Window: 4, Epoch: bench.Epoch(epoch)})
				}
			}
		}
		errs, found := runWindows(t, over.transport, over.ranks, cases, func(_ int, d device.Device, _ *bool) device.Device { return d })
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		cells := found.Cells()
		if len(cells) != len(cases) {
			t.Fatalf("points of %d cells for %d", len(cells), len(cases))
		}
		for i, points := range cells {
			for _, p := range points {
				if err := p.Validate(); err != nil {
					t.Error(err)
				}
				if p.Options["epoch"] != string(cases[i].Epoch) || p.Checked == 0 {
					t.Errorf("%s of %d B, epoch %s: recorded as %q, %d checked", p.Bench, p.Size, cases[i].Epoch, p.Options["epoch"], p.Checked)
				}
			}
		}
	}
}

// Every benchmark of windows fails if one byte of a message is wrong, or of what a region moves.
// Where that is a byte of a request, the target finds it.
func TestEveryWindowDetectsAWrongByte(t *testing.T) {
	for _, b := range mutated(windowed()) {
		copies := strings.HasPrefix(b.Name, "put") || strings.HasPrefix(b.Name, "get") && b.Name != "get_accumulate"
		for spoiled := range 4 {
			transport, spoiled := []string{"smem", "naive"}[spoiled/2], spoiled%2
			switch native := transport == "naive"; {
			case native && (!copies || spoiled == 1 && b.Name != "put_biband"):
				continue // atomic operations are messages, and the target of others does nothing
			case !native && spoiled == 0 && (b.Name == "put" || b.Name == "put_uniband" || b.Name == "accumulate"):
				continue // the origin receives no data
			}
			for _, size := range windowSizes(b) {
				t.Run(fmt.Sprintf("%s/%s/rank %d/%d B", transport, b.Name, spoiled, size), func(t *testing.T) {
					errs, found := runWindows(t, transport, 2, []bench.Case{{Bench: b, Size: size, Window: 4}}, func(rank int, d device.Device, ready *bool) device.Device {
						contexts := func(context int32) bool {
							return *ready && rank == spoiled && context >= comm.FirstContext+4
						}
						return decorator.CorruptIn(contexts, d, 3, new(decorator.Tally))
					})
					if errs[0] == nil || errs[1] == nil || len(found.Points) != 0 {
						t.Errorf("%v, %d points from wrong data", errs, len(found.Points))
					}
				})
			}
		}
	}
}

// Events of windows allocate nothing, on any rank.
func TestWindowEventsAllocateNothing(t *testing.T) {
	driver, err := device.Lookup("tcp")
	if err != nil {
		t.Fatal(err)
	}
	err = launch.Goroutines(t.Context(), 2, func(ctx context.Context, job device.Job) error {
		return comm.Run(ctx, driver, job, comm.Options{}, func(world *comm.Comm) error {
			ch, err := comm.NewChannel(world)
			if err != nil {
				return err
			}
			for _, b := range windowed() {
				epochs := bench.Epochs()
				if b.Name != "put" {
					epochs = epochs[:1]
				}
				for _, epoch := range epochs {
					env := bench.NewEnv(ch, 20_000, 4)
					env.Epoch = bench.Epoch(epoch)
					op := b.New(env)
					op.(bench.Checker).Prepare(1, true)
					failed := op.Do(20)
					do := func() {
						if err := op.Do(1); err != nil {
							failed = err
						}
					}
					const runs = 20
					n := 0
					if job.Rank() == 0 {
						n = allocs.Count(runs, do)
					} else {
						for range allocs.Calls(runs) {
							do()
						}
					}
					if op.(bench.Closer).Close(); failed != nil {
						return failed
					} else if n > 0 && !race.Enabled {
						t.Errorf("%s, epoch %s: %d allocations", b.Name, epoch, n)
					}
				}
			}
			return ch.Close()
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}
