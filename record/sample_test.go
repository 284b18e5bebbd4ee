package record

import (
	"errors"
	"testing"
	"time"

	"gobench/stats"
)

var testTime = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// sampleRun returns a run like that of gobench p2p.
func sampleRun() *Run {
	return &Run{
		ID: "20261121T120000Z-0badcafe", Time: testTime,
		Command: []string{"gobench", "p2p", "--transport=smem"},
		Program: map[string]any{"go": "go1.26.8", "gomaxprocs": 4},
		Hosts:   []any{map[string]any{"name": "node1", "cpu": "AMD EPYC"}},
		Job:     Job{Launcher: "local", Ranks: 2, Hosts: []int{0, 0}, Cores: []int{2, 3}},
		Clocks:  []Clock{{Rank: 0, Source: "CLOCK_MONOTONIC (tsc)", Resolution: 1e-9, Cost: 26e-9}},
		Noise:   []Noise{{Rank: 0, Core: 2, Duration: 0.01, Detours: 3, Lost: 1e-4, Longest: 5e-6}},
		Seed:    42,
	}
}

// samplePoint returns a ping-pong of 1 KiB with round trips of 1.00 to 2.99 us.
func samplePoint() *Point {
	samples := make([]float64, 200)
	for i := range samples {
		samples[i] = float64(1000+10*((i*77)%200)) / 1e9
	}
	half := stats.Summarize(samples).Scale(0.5)
	return &Point{
		Run: "20261121T120000Z-0badcafe", Time: testTime,
		Bench: "pingpong", Transport: "smem", Level: "device", Size: 1024, Ranks: 2, RankKind: "process",
		Cores: []int{2, 3}, Path: "eager", Options: map[string]string{"eager_limit": "8192", "copy": "auto"},
		Cache: "warm", Amount: 1024, Sampling: "exact", Iterations: 200, WarmupDropped: 5,
		Precision: 0.02, Stopped: "precise", Duration: 0.01, ClockCost: 26e-9, Checked: 205,
		MemoryPerPair: 1 << 20, DistanceBefore: 30e-9, DistanceAfter: 31e-9,
		Method:   "median of 200 half round trips after 5 of warm-up",
		Warnings: []string{"ranks are not pinned"},
		Metrics: ValuesOf(map[string]Value{
			"half_rtt_s":    Times(half, false),
			"bandwidth_Bps": Rate(half, 1024),
		}),
	}
}

// succeed ends the test at the first error.
func succeed(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// opened opens a file of results.
func opened(t *testing.T, path string) *Writer {
	t.Helper()
	w, err := Open(path)
	succeed(t, err)
	return w
}
