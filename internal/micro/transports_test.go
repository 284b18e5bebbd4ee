package micro_test

import (
	"context"
	"slices"
	"testing"

	"gobench/bench"
	"gobench/device"
	"gobench/internal/bench/benchtest"
	"gobench/internal/micro"
	"gobench/launch"
	_ "gobench/transports/all"
)

// Every benchmark of messages runs over every available transport, at all its levels, with
// goroutines as ranks.
func TestEveryBenchmarkOverEveryTransport(t *testing.T) {
	for _, driver := range device.Drivers() {
		if err := driver.Probe(); err != nil {
			t.Logf("%s: %v", driver.Name(), err)
			continue
		}
		for _, level := range device.Levels(driver) {
			t.Run(driver.Name()+"/"+level, func(t *testing.T) { sweep(t, driver, level) })
		}
	}
}

func sweep(t *testing.T, driver device.Driver, level string) {
	plan := bench.Plan{Run: "test", Level: level, Noise: -1, Stop: bench.Stop{WarmUp: 1, MaxSamples: 5}}
	for _, b := range slices.DeleteFunc(matched(), func(b bench.Benchmark) bool { return b.CheckLevel(level) != nil }) {
		for _, size := range []int{0, 100_000} {
			plan.Cases = append(plan.Cases, bench.Case{Bench: b, Size: size, Window: 8})
		}
	}
	if level == "device" {
		for _, size := range []int{0, 100_000} {
			plan.Cases = append(plan.Cases, bench.Case{Bench: micro.PingPong(), Size: size, Memory: bench.Device})
		}
	}
	options, err := device.ParseOptions(driver.Options(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var found benchtest.Found
	err = launch.Goroutines(t.Context(), 2, func(ctx context.Context, job device.Job) error {
		ch, err := device.OpenAt(ctx, driver, level, job, options)
		if err != nil {
			return err
		}
		defer ch.Close()
		return bench.Run(ctx, ch, plan, &found)
	})
	if err != nil {
		t.Fatal(err)
	}
	cells := found.Cells()
	if len(cells) != len(plan.Cases) {
		t.Fatalf("points of %d cells for %d", len(cells), len(plan.Cases))
	}
	for i, points := range cells {
		for _, p := range points {
			if want := plan.Cases[i].Memory; want != "" && p.Memory != string(want) {
				t.Errorf("%s with %d B: memory is recorded as %q", p.Bench, p.Size, p.Memory)
			}
			if err := p.Validate(); err != nil {
				t.Error(err)
			}
			if p.Size > 0 && p.Checked == 0 {
				t.Errorf("%s with %d B: nothing was checked", p.Bench, p.Size)
			}
		}
	}
}
