package comparing

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"gobench/bench/record"
)

// BenchmarkCompare100000 reads, compares and prints two files of 50,000 points
// each: 40 launches of 1250 cells. It should take less than 5 s and 500 MiB.
func BenchmarkCompare100000(b *testing.B) {
	folder := b.TempDir()
	var paths []string
	for side := range uint64(2) {
		path := filepath.Join(folder, fmt.Sprintf("%d.jsonl", side))
		paths = append(paths, path)
		campaign(b, path, side, 40, 1250)
	}
	for b.Loop() {
		runtime.GC()
		if err := Compare(Default, paths, io.Discard, io.Discard); err != nil {
			b.Fatal(err)
		}
	}
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		for line := range strings.Lines(string(status)) {
			var peak float64
			if _, err := fmt.Sscanf(line, "VmHWM: %f kB", &peak); err == nil {
				b.ReportMetric(peak/1024, "MiB-peak")
			}
		}
	}
}

// campaign writes the launches of one side.
func campaign(b *testing.B, path string, seed uint64, launches, cells int) {
	w, err := record.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	random := rand.New(rand.NewPCG(seed, 1))
	begin := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for launch := range launches {
		id := fmt.Sprintf("%d-%d", seed, launch)
		run := record.Run{ID: id, Time: begin, Command: []string{"gobench", "sweep"}, Job: record.Job{Launcher: "local", Ranks: 2}}
		if err := w.WriteRun(&run); err != nil {
			b.Fatal(err)
		}
		for cell := range cells {
			t := 1e-6 * (1 + 0.02*random.Float64())
			p := record.Point{
				Run: id, Time: begin, Bench: "pingpong", Transport: "smem", Level: "device", Size: int64(8 + 8*cell), Ranks: 2, RankKind: "process",
				Cores: []int{0, 1}, Path: "eager", Options: map[string]string{"copy": "auto", "eager_limit": "8192", "wait": "spin", "cma": "on", "rndv": "auto"},
				Cache: "warm", Memory: "heap", Launch: launch + 1, Block: launch + 1, Seed: 7, Sampling: "exact", Iterations: 1000, Precision: 0.02, Stopped: "precise",
				Duration: 0.1, ClockCost: 2.6e-8, Checked: 16, DistanceBefore: 3e-8, DistanceAfter: 3e-8, Method: "median of 1000 half round trips after 64 of warm-up",
				Metrics: map[string]record.Value{
					"half_rtt_s": {Median: t, Lo: 0.99 * t, Hi: 1.01 * t, Confidence: 0.95, N: 1000, EffectiveN: 900, Min: 0.9 * t, P50: t, P90: 1.1 * t, P99: 1.2 * t, P999: 1.3 * t, Max: 2 * t},
				},
			}
			if err := w.WritePoint(&p); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
}
