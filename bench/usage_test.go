package bench_test

import (
	"context"
	"testing"
	"time"

	"gobench/bench"
	"gobench/device"
	"gobench/internal/bench/benchtest"
	"gobench/launch"
	_ "gobench/transports/tcp"
)

// processed is a device that claims to be a rank of its own process.
type processed struct{ device.Device }

func (p processed) Info() device.Info {
	i := p.Device.Info()
	i.Ranks = "process"
	return i
}

// A rank that sleeps for each message has less processor time than the event takes, and switches;
// one that computes has all of it. Collectives that start together, and ranks that share a process,
// have no such facts.
func TestProcessorTimeOfARank(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED with -short: the race detector changes nothing here")
	}
	driver, err := device.Lookup("tcp")
	if err != nil {
		t.Fatal(err)
	}
	options, err := device.ParseOptions(driver.Options(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		process, known bool
		perProcess     int
		collective     *bench.Collective
		start          bench.Start
	}{
		{process: true, known: true}, {}, {process: true, perProcess: 2},
		{process: true, known: true, collective: &bench.Collective{}, start: bench.StartNone},
		{process: true, collective: &bench.Collective{}, start: bench.StartBarrier},
	} {
		var found benchtest.Found
		b := bench.Benchmark{
			Name: "rest", Pattern: bench.Pairs, Metric: "t_s", Scale: 1, Formula: "t = time",
			Amount: func(int, int) int { return 0 }, Buffers: bench.Fixed(1), Timed: func(rank, _ int) bool { return rank == 0 || c.collective != nil },
			Collective: c.collective,
			New:        func(*bench.Env) bench.Op { return resting{} },
		}
		plan := bench.Plan{Run: "test", Level: "device", Noise: -1, Cases: []bench.Case{{Bench: b}}, Start: c.start, PerProcess: c.perProcess, Stop: bench.Stop{Budget: 20 * time.Millisecond}}
		if err := launch.Goroutines(t.Context(), 2, func(ctx context.Context, job device.Job) error {
			d, err := driver.Open(ctx, job, options)
			if err != nil {
				return err
			}
			defer d.Close()
			if c.process {
				d = processed{d}
			}
			return bench.Run(ctx, d, plan, &found)
		}); err != nil {
			t.Fatal(err)
		}
		p := found.Points[0]
		switch cost := p.Metrics.Median("processor_s"); {
		case !c.known && (p.Busy != 0 || p.Switches != 0 || cost != 0):
			t.Errorf("%+v: busy %g, %g switches, %g s", c, p.Busy, p.Switches, cost)
		case c.known && (p.Switches < 0.5 || p.Busy <= 0 || cost <= 0 || cost != p.User+p.System):
			t.Errorf("%+v: an event that sleeps: busy %g, %g switches, user %g s of %g s", c, p.Busy, p.Switches, p.User, cost)
		}
	}
}

// resting is an operation that sleeps.
type resting struct{}

func (resting) Do(k int) error {
	for range k {
		time.Sleep(100 * time.Microsecond)
	}
	return nil
}
