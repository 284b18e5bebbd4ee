package document

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"gobench/bench/record"
	"gobench/report/cell"
)

// large writes so many records into a file: launches of four benchmarks over
// two transports on two levels, as long as those of real runs.
func large(tb testing.TB, points int) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "large.jsonl")
	w, err := record.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for n, launch := 0, 1; n < points; launch++ {
		id := fmt.Sprintf("r%06d", launch)
		host := map[string]any{"hostname": "n1", "kernel": "6.1", "cpu": map[string]any{"model": "CPU", "cores": 64}}
		if err := w.WriteRun(&record.Run{ID: id, Time: begin, Command: []string{"gobench", "p2p"}, Hosts: []any{host}, Job: record.Job{Launcher: "local", Ranks: 2}}); err != nil {
			tb.Fatal(err)
		}
		for _, transport := range []string{"smem", "tcp"} {
			for _, level := range []string{"device", "comm"} {
				for bench, key := range map[string]string{"pingpong": "half_rtt_s", "sendrecv": "t_s", "exchange": "t_s", "biband": "t_s"} {
					for power := range 24 {
						if n++; n > points {
							break
						}
						size := int64(1) << power
						t := 1e-7 * (1 + float64(size)/2000) * (1 + 0.01*float64(launch%7))
						p := record.Point{
							Run: id, Time: begin, Bench: bench, Transport: transport, Level: level, Size: size, Amount: size, Ranks: 2, RankKind: "process",
							Cores: []int{0, 1}, Path: "eager", Cache: "warm", Memory: "heap", Sampling: "hdr", Iterations: 648716, WarmupDropped: 94745,
							Options:   map[string]string{"cma": "on", "eager_limit": "65536", "fragment": "32768", "rndv": "auto", "wait": "spin"},
							Precision: 0.02, Stopped: "budget", Duration: 0.33, Launch: launch,
							Method:   fmt.Sprintf("half_rtt = t / 2; median of %d samples after %d events of warm-up; nonparametric interval, of this one launch; data of 120 messages checked outside the timed region", 1000+n, 100+n%1000),
							Warnings: []string{"precision not reached: the median is known to 4.1 %, asked for 2 % (budget)"},
							Metrics: map[string]record.Value{
								key:             {Median: t, Lo: t * 0.99, Hi: t * 1.01, Confidence: 0.96, N: 1600, EffectiveN: 47, Min: t * 0.8, P50: t, P90: t * 1.1, P99: t * 1.5, P999: t * 3, Max: t * 10},
								"bandwidth_Bps": {Median: float64(size) / t, Lo: float64(size) / (t * 1.01), Hi: float64(size) / (t * 0.99), Confidence: 0.96, N: 1600, EffectiveN: 47},
							},
						}
						if err := w.WritePoint(&p); err != nil {
							tb.Fatal(err)
						}
					}
				}
			}
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return path
}

// BenchmarkReport is 100,000 records from the file to the page. It should take
// less than 5 s and 500 MiB.
func BenchmarkReport(b *testing.B) {
	path := large(b, 100_000)
	out := Output{Path: filepath.Join(b.TempDir(), "report.html")}
	for b.Loop() {
		runtime.GC()
		s, err := cell.Load([]string{path})
		if err != nil {
			b.Fatal(err)
		}
		if _, _, err := Write(s, out); err != nil {
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
