// Package figuretest creates deterministic records for tests of figures and reports.
package figuretest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"

	"gobench/record"
)

// Begin is the time of all measurements.
var Begin = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// Run returns a run on a machine with the given name.
func Run(id, host string, ranks int) record.Run {
	return record.Run{
		ID: id, Time: Begin, Command: []string{"gobench", "p2p"},
		Program: map[string]any{"commit": "0123456789abcdef", "go": "go1.26"},
		Hosts:   []any{map[string]any{"hostname": host, "kernel": "6.1", "cpu": map[string]any{"model": "Test CPU", "packages": 1, "cores": 16, "threads": 16}}},
		Job:     record.Job{Launcher: "local", Ranks: ranks},
	}
}

// value returns a median with an interval and percentiles around it.
func value(median float64, n int) record.Value {
	return record.Value{Median: median, Lo: 0.97 * median, Hi: 1.04 * median, Confidence: 0.96, N: n, EffectiveN: n,
		Min: 0.8 * median, P50: median, P90: 1.2 * median, P99: 2 * median, P999: 5 * median, Max: 40 * median}
}

func rate(median float64, n int) record.Value {
	return record.Value{Median: median, Lo: 0.96 * median, Hi: 1.03 * median, Confidence: 0.96, N: n, EffectiveN: n}
}

func point(run, bench, transport string, size int64, ranks int) record.Point {
	return record.Point{
		Run: run, Time: Begin, Bench: bench, Transport: transport, Level: "device", Size: size, Ranks: ranks, RankKind: "process",
		Cores: []int{0, 1}[:min(2, ranks)], Path: "eager", Iterations: 4000, WarmupDropped: 30, Method: fmt.Sprintf("median of %d samples after 30 events of warm-up", 4000+size),
		Metrics: record.Values{},
	}
}

// PingPong returns launches of ping-pong over smem and tcp, from empty messages to 4 MiB. Launches
// differ by up to 2 %.
func PingPong(launches int) *record.File {
	random := rand.New(rand.NewPCG(1, 2))
	f := &record.File{}
	for l := range launches {
		id := fmt.Sprintf("p%d", l+1)
		f.Runs = append(f.Runs, Run(id, "n1", 2))
		for _, transport := range []string{"smem", "tcp"} {
			start, perByte := 1e-7, 5e-11
			if transport == "tcp" {
				start, perByte = 6e-6, 1.2e-10
			}
			for power := -1; power <= 22; power++ {
				size := int64(0)
				if power >= 0 {
					size = 1 << power
				}
				t := (start + perByte*float64(size)) * (1 + 0.02*random.Float64())
				p := point(id, "pingpong", transport, size, 2)
				p.Launch = l + 1
				if size >= 64<<10 {
					p.Path = "rndv-put"
				}
				p.Metrics.Set("half_rtt_s", value(t, 4000))
				if size > 0 {
					p.Amount = size
					p.Metrics.Set("bandwidth_Bps", rate(float64(size)/t, 4000))
				}
				f.Points = append(f.Points, p)
			}
		}
	}
	return f
}

// Other gives the runs of a file other IDs, so that it does not look like a copy, and returns it.
func Other(f *record.File) *record.File {
	for i := range f.Runs {
		f.Runs[i].ID += "-other"
	}
	for i := range f.Points {
		f.Points[i].Run += "-other"
	}
	return f
}

// Collectives returns broadcasts of 2, 4 and 8 ranks, with the algorithm chosen by size.
func Collectives() *record.File {
	f := &record.File{Runs: []record.Run{Run("c", "n1", 8)}}
	for _, ranks := range []int{2, 4, 8} {
		for power := 2; power <= 20; power += 3 {
			size := int64(1) << power
			t := float64(ranks)*2e-7 + float64(size)*1e-10*float64(ranks-1)
			p := point("c", "bcast", "smem", size, ranks)
			p.Cores, p.Level, p.Algorithm, p.Root, p.Start, p.ClockSync = nil, "comm", "binomial", "0", "time", "shared"
			if size > 16<<10 {
				p.Algorithm = "scatter-allgather"
			}
			p.Metrics.Set("global_s", value(t, 500))
			p.Metrics.Set("aggregate_Bps", rate(float64(size)*float64(ranks)/t, 500))
			p.Metrics.Set("delivered_Bps", rate(float64(size)*float64(ranks-1)/t, 500))
			p.Metrics.Set("busbw_Bps", rate(float64(size)/t, 500))
			f.Points = append(f.Points, p)
		}
	}
	return f
}

// Overlaps returns the overlap of an allreduce with and without tests during the computation, from
// none to all of it.
func Overlaps() *record.File {
	f := &record.File{Runs: []record.Run{Run("o", "n1", 4)}}
	for power := 3; power <= 21; power += 3 {
		for _, polls := range []int{0, 8} {
			p := point("o", "iallreduce", "tcp", 1<<power, 4)
			p.Cores, p.Level, p.Algorithm, p.Start, p.ClockSync, p.Polls = nil, "comm", "rabenseifner", "time", "shared", polls
			p.Metrics.Set("global_s", value(1e-5+float64(int64(1)<<power)*1e-9, 500))
			p.Metrics.Set("processor_s", record.Value{Median: 1e-5 + float64(power)*1e-6*float64(1+polls), N: 500, Statistic: record.Mean})
			p.Metrics.Set("overlap_ratio", rate(float64(power-3)/18*float64(2+polls)/10, 9))
			f.Points = append(f.Points, p)
		}
	}
	return f
}

// Kernels returns runs of two kernels and of an application on 1 to 16 ranks, with the time of
// their phases, and one weak scaling.
func Kernels() *record.File {
	f := &record.File{Runs: []record.Run{Run("k", "n1", 16), Run("w", "n1", 16)}}
	for _, kernel := range []struct {
		bench string
		one   float64 // Mop/s on one rank, 0 = it has no rate
	}{{"cg", 1900}, {"mg", 5300}, {"fdtd", 0}} {
		bench, one := kernel.bench, kernel.one
		for _, transport := range []string{"smem", "tcp"} {
			for ranks := 1; ranks <= 16; ranks *= 2 {
				share := 1 - 0.04*float64(ranks-1)
				if transport == "tcp" {
					share = 1 - 0.05*float64(ranks-1)
				}
				p := point("k", bench, transport, 0, ranks)
				p.Level, p.Cores, p.Path, p.Iterations, p.Method = "comm", nil, "", 7, "median of 7 runs"
				seconds := 100 / float64(ranks) / share
				p.Metrics.Set("run_s", value(seconds, 7))
				if one > 0 {
					p.Class = "A"
					p.Metrics.Set("mops", rate(one*float64(ranks)*share, 7))
				}
				phases := map[string]any{
					"compute":   map[string]float64{"min": seconds * share, "mean": seconds * share, "max": seconds * share},
					"exchange":  map[string]float64{"min": 0, "mean": seconds * (1 - share) * 0.7, "max": seconds},
					"allreduce": map[string]float64{"min": 0, "mean": seconds * (1 - share) * 0.3, "max": seconds},
				}
				b, err := json.Marshal(phases)
				if err != nil {
					panic(err) // cannot happen: all values are numbers
				}
				p.Extra = map[string]json.RawMessage{"phases_s": b}
				f.Points = append(f.Points, p)
			}
		}
	}
	native := point("k", "cg", "smem", 0, 1)
	native.Library, native.Class, native.Level, native.Cores, native.Iterations = "Open MPI 4.1.4", "A", "comm", nil, 7
	native.Metrics.Set("mops", rate(2000, 7))
	native.Metrics.Set("run_s", value(100, 7))
	f.Points = append(f.Points, native)
	for i, class := range []string{"W", "A", "B", "C"} {
		p := point("w", "cg", "smem", 0, 1<<i)
		p.Level, p.Cores, p.Class, p.Baseline, p.Iterations = "comm", nil, class, "w", 7
		p.Metrics.Set("mops", rate(1900*float64(int(1)<<i)*(1-0.05*float64(i)), 7))
		p.Metrics.Set("run_s", value(10, 7))
		p.Metrics.Set("efficiency", rate(1-0.05*float64(i), 7))
		f.Points = append(f.Points, p)
	}
	return f
}

// Startup returns starts of up to 64 ranks over two transports.
func Startup() *record.File {
	f := &record.File{Runs: []record.Run{Run("s", "n1", 2)}}
	for i, transport := range []string{"smem", "tcp"} {
		for n := 1; n <= 64; n *= 4 {
			p := point("s", "startup", transport, 0, n)
			p.Level, p.Cores = "comm", nil
			p.Metrics.Set("run_s", record.Value{Median: 0.02 + 0.004*float64(n*(i+1)), N: 1})
			f.Points = append(f.Points, p)
		}
	}
	return f
}

// Pairs returns ping-pong between all pairs of four cores, of which the last is far from the
// others.
func Pairs() *record.File {
	f := &record.File{Runs: []record.Run{Run("h", "n1", 2)}}
	for a := range 4 {
		for b := range 4 {
			if a == b {
				continue
			}
			t := 1e-7
			if a == 3 || b == 3 {
				t = 4e-7
			}
			p := point("h", "pingpong", "smem", 8, 2)
			p.Cores, p.Amount = []int{a, b}, 8
			p.Metrics.Set("half_rtt_s", value(t, 100))
			p.Metrics.Set("bandwidth_Bps", rate(8/t, 100))
			f.Points = append(f.Points, p)
		}
	}
	return f
}

// Storage returns records of BT-IO, with two ways to write, on one and four ranks.
func Storage() *record.File {
	f := &record.File{Runs: []record.Run{Run("h", "n1", 4)}}
	for _, mode := range []string{"full", "simple"} {
		for _, ranks := range []int{1, 4} {
			p := point("h", "bt-io", "smem", 0, ranks)
			p.Level, p.Cores, p.Path, p.Iterations, p.Method = "comm", nil, "", 5, "median of 5 runs"
			p.Class, p.IO = "A", mode
			p.Metrics.Set("mops", rate(9000*float64(ranks), 5))
			p.Metrics.Set("run_s", value(19/float64(ranks), 5))
			p.Metrics.Set("storage_Bps", rate(map[string]float64{"full": 1.4e9, "simple": 4e8}[mode]*float64(ranks), 5))
			p.Metrics.Set("storage_read_Bps", rate(3e9*float64(ranks), 5))
			f.Points = append(f.Points, p)
		}
	}
	return f
}

// Waits returns records of CG over two and over four hosts with waits. 80 % of each run are no
// waits, 5 % are waits for ranks of the host and 15 % for ranks of other hosts.
func Waits() *record.File {
	f := &record.File{Runs: []record.Run{Run("w", "n1", 16)}}
	for _, ranks := range []int{8, 16} {
		p := point("w", "cg", "smem+tcp", 0, ranks)
		p.Level, p.Cores, p.Path, p.Iterations, p.Method = "comm", nil, "", 7, "median of 7 runs"
		p.Class = "A"
		p.Metrics.Set("run_s", value(8, 7))
		p.Extra = map[string]json.RawMessage{
			"phases_s": json.RawMessage(`{"compute": {"min": 5, "mean": 6, "max": 7}, "exchange": {"min": 1, "mean": 2, "max": 3}}`),
			"waited_s": json.RawMessage(`{"inside": {"min": 0.1, "mean": 0.4, "max": 0.6}, "between": {"min": 0.5, "mean": 1.2, "max": 2}}`),
		}
		f.Points = append(f.Points, p)
	}
	return f
}

// Hybrid returns records of BT, and of BT-MZ with several numbers of threads, on up to four cores.
func Hybrid() *record.File {
	f := &record.File{Runs: []record.Run{Run("h", "n1", 4)}}
	add := func(bench string, ranks, threads int) {
		p := point("h", bench, "smem", 0, ranks)
		p.Level, p.Cores, p.Path, p.Iterations, p.Method = "comm", nil, "", 7, "median of 7 runs"
		p.Class, p.Threads = "A", threads
		cores := float64(ranks * threads)
		p.Metrics.Set("mops", rate(5000*cores*(1-0.03*float64(ranks-1)-0.05*float64(threads-1)), 7))
		p.Metrics.Set("run_s", value(30/cores, 7))
		f.Points = append(f.Points, p)
	}
	add("bt", 1, 1)
	add("bt", 4, 1)
	for _, split := range [][2]int{{1, 1}, {2, 1}, {4, 1}, {1, 2}, {2, 2}, {1, 4}} {
		add("bt-mz", split[0], split[1])
	}
	return f
}

// Algorithms returns bcasts of 14 algorithms over two transports on 2 and 4 ranks. Over smem "n" is
// the fastest of short messages and "m" of long ones, over tcp it is the other way round; the
// defaults choose "l". The first names are the slowest.
func Algorithms() *record.File {
	f := &record.File{Runs: []record.Run{Run("c", "n1", 8)}}
	for i := range 14 {
		name := string(rune('a' + i))
		for _, transport := range []string{"smem", "tcp"} {
			for _, ranks := range []int{2, 4} {
				for _, size := range []int64{8, 64, 1 << 10, 1 << 20} {
					t := (1e-6 + 1e-10*float64(size)) * float64(16-i)
					if (name == "m" || name == "n") && (size > 1<<10) == (name == "m") == (transport == "smem") {
						t /= 4
					}
					if transport == "tcp" {
						t *= 100
					}
					p := point("c", "bcast", transport, size, ranks)
					p.Level, p.Algorithm, p.Start, p.ByTable = "comm", name, "time", name == "l"
					p.Metrics.Set("global_s", value(t, 500))
					p.Metrics.Set("aggregate_Bps", rate(float64(size)*float64(ranks)/t, 500))
					f.Points = append(f.Points, p)
				}
			}
		}
	}
	return f
}
