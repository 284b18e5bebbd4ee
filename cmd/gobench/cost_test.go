package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gobench/record"
)

// BenchmarkRecords100000 runs gobench show, compare and report on 100,000 records in two files.
// It reports the time and the maximum memory of the whole process. Each should take less than 5 s
// and 500 MiB.
//
//	go test ./cmd/gobench -run '^$' -bench Records100000 -benchtime 3x
func BenchmarkRecords100000(b *testing.B) {
	dir := b.TempDir()
	var files []string
	for side := range 2 {
		path := filepath.Join(dir, fmt.Sprintf("%c.jsonl", 'a'+side))
		files = append(files, path)
		manyRecords(b, path, side, 50_000)
	}
	for _, c := range []struct {
		name string
		args []string
	}{
		{"show", []string{"show"}},
		{"compare", []string{"compare"}},
		{"report", []string{"report", "-o", filepath.Join(dir, "report.html")}},
	} {
		b.Run(c.name, func(b *testing.B) {
			largest := int64(0)
			for b.Loop() {
				cmd := exec.Command("gobench", append(c.args, files...)...)
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%v: %s", err, out)
				}
				largest = max(largest, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
			}
			b.ReportMetric(float64(largest)/1024, "MiB-peak")
		})
	}
}

// manyRecords writes points like those of a sweep: four benchmarks over two transports on two
// levels with 24 sizes.
func manyRecords(b *testing.B, path string, side, points int) {
	w, err := record.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	var facts any
	if err := json.Unmarshal([]byte(hostFacts), &facts); err != nil {
		b.Fatal(err)
	}
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	n := 0
	point := func(run string, launch int, bench, key, transport, level string, size int64) error {
		n++
		t := 1e-7 * (1 + float64(size)/2000) * (1 + 0.01*float64((launch*7+side+n)%11))
		return w.WritePoint(&record.Point{
			Run: run, Time: begin.Add(time.Duration(n) * time.Second), Bench: bench, Transport: transport, Level: level, Size: size, Amount: size, Ranks: 2, RankKind: "process",
			Cores: []int{0, 1}, Path: "eager", Cache: "warm", Memory: "heap", Sampling: "hdr", Iterations: 648716, WarmupDropped: 94745,
			Options:   map[string]string{"cma": "on", "eager_limit": "65536", "fragment": "32768", "rndv": "auto", "wait": "spin"},
			Precision: 0.02, Stopped: "budget", Duration: 0.33, Launch: launch, Block: launch, Seed: 7, ClockCost: 2.8e-8, Checked: 120,
			DistanceBefore: 3e-8, DistanceAfter: 3.1e-8,
			Method:   fmt.Sprintf("half_rtt = t / 2; median of %d samples after %d events of warm-up; nonparametric interval, of this one launch; data of 120 messages checked outside the timed region", 1000+n, 100+n%1000),
			Warnings: []string{"precision not reached: the median is known to 4.1 %, asked for 2 % (budget)"},
			Metrics: record.ValuesOf(map[string]record.Value{
				key:             {Median: t, Lo: t * 0.99, Hi: t * 1.01, Confidence: 0.96, N: 1600, EffectiveN: 47, Min: t * 0.8, P50: t, P90: t * 1.1, P99: t * 1.5, P999: t * 3, Max: t * 10},
				"bandwidth_Bps": {Median: float64(size) / t, Lo: float64(size) / (t * 1.01), Hi: float64(size) / (t * 0.99), Confidence: 0.96, N: 1600, EffectiveN: 47},
			}),
		})
	}
	for launch := 1; n < points; launch++ {
		id := fmt.Sprintf("20260102T030405Z-%d%07d", side, launch)
		if err := w.WriteRun(&record.Run{
			ID: id, Time: begin, Command: strings.Fields("gobench p2p --transport=smem,tcp --level=device,comm"), Seed: 7,
			Program: map[string]any{"version": "1", "go": "go1.26.8", "simd": "avx2", "gomaxprocs": 4}, Hosts: []any{facts}, Job: record.Job{Launcher: "local", Ranks: 2, Hosts: []int{0, 0}, Cores: []int{0, 1}},
		}); err != nil {
			b.Fatal(err)
		}
		for bench, key := range map[string]string{"pingpong": "half_rtt_s", "sendrecv": "t_s", "exchange": "t_s", "biband": "t_s"} {
			for cell := range 2 * 2 * 24 {
				if n == points {
					break
				}
				if err := point(id, launch, bench, key, []string{"smem", "tcp"}[cell/48], []string{"device", "comm"}[cell/24%2], 1<<(cell%24)); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	if info, err := os.Stat(path); err == nil {
		b.Logf("%s: %d MiB", path, info.Size()>>20)
	}
}

// hostFacts are as long as those of a real machine.
const hostFacts = `{"hostname":"n1","os":"linux","arch":"amd64","kernel":"6.12.1","hypervisor":"kvm","clocksource":"tsc",
"cpu":{"model":"CPU","vendor":"Vendor","microcode":"0x1","packages":1,"cores":4,"threads":4,"smt":false,"invariant_tsc":true},
"caches":[{"level":1,"type":"Data","size_B":32768,"line_B":64,"shared_by":"0"},{"level":2,"type":"Unified","size_B":524288,"line_B":64,"shared_by":"0"},{"level":3,"type":"Unified","size_B":33554432,"line_B":64,"shared_by":"0-3"}],
"numa":[{"id":0,"cores":"0-3","memory_B":25276076032}],"memory":{"total_B":25276076032,"available_B":23046635520,"page_B":4096,"thp":"madvise","thp_shmem":"never"},
"nics":[{"name":"eth0","driver":"virtio_net","mtu_B":1400},{"name":"lo","mtu_B":65536}],
"mitigations":{"spectre_v1":"Mitigation: usercopy/swapgs barriers and __user pointer sanitization","spectre_v2":"Mitigation: Retpolines; STIBP: disabled; RSB filling"},"limits":{"cores":"0-3","memlock_B":8388608},"load_1min":0.4}`
