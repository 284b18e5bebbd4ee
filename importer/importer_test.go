package importer

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gobench/record"
)

var testTime = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// want holds the checked fields of a point.
type want struct {
	bench, transport, level string
	size                    int64
	ranks                   int
	key                     string
	median                  float64
}

// imported imports a log and returns the points of all its launches as if they were of one.
func imported(name string, data []byte, given Given) (record.Run, []record.Point, error) {
	launches, err := Import(name, data, given)
	run := Join(launches).Run
	var points []record.Point
	for _, l := range launches {
		for _, p := range l.Points {
			p.Run = run.ID
			points = append(points, p)
		}
	}
	return run, points, err
}

func read(t *testing.T, file string, given Given) (record.Run, []record.Point) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	given.Time = testTime
	run, points, err := imported(file, data, given)
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Validate(); err != nil {
		t.Error(err)
	}
	for i := range points {
		if err := points[i].Validate(); err != nil {
			t.Error(err)
		}
		if points[i].Run != run.ID {
			t.Errorf("point of run %q", points[i].Run)
		}
	}
	return run, points
}

func TestLogsBecomeRecords(t *testing.T) {
	for _, c := range []struct {
		file  string
		given Given
		want  []want
	}{
		{"imb.log", Given{Library: "Open MPI 4.1.4", Transport: "smem"}, []want{
			{"pingpong", "smem", "comm", 0, 2, "half_rtt_s", 0.2e-6},
			{"pingpong", "smem", "comm", 1024, 2, "half_rtt_s", 0.5e-6},
			{"exchange", "smem", "comm", 1024, 4, "t_s", 2e-6},
			{"allreduce", "smem", "comm", 4, 2, "local_s", 1.1e-6},
			{"barrier", "smem", "comm", 0, 4, "local_s", 0.66e-6},
			{"uniband", "smem", "comm", 4096, 2, "message_rate_per_s", 2e6},
		}},
		{"osu.log", Given{Ranks: 4}, []want{
			{"pingpong", "unknown", "comm", 0, 2, "half_rtt_s", 0.2e-6}, // and not -n
			{"pingpong", "unknown", "comm", 8, 2, "half_rtt_s", 0.5e-6},
			{"uniband", "unknown", "comm", 1024, 4, "bandwidth_Bps", 2048e6},
			{"allreduce", "unknown", "comm", 4, 4, "local_s", 1.1e-6},
		}},
		{"npb.log", Given{}, []want{{"cg", "unknown", "comm", 0, 4, "mops", 6500.25}}},
		{"perftest.log", Given{}, []want{
			{"put_lat", "ibv", "raw", 2, 2, "half_rtt_s", 1.02e-6},
			{"biband", "ibv", "raw", 65536, 2, "bandwidth_Bps", 10000 * (1 << 20)},
			{"get_bw", "ibv", "raw", 65536, 2, "bandwidth_Bps", 65536 * 0.152588e6},
		}},
		{"netpipe.log", Given{}, []want{
			{"pingpong", "tcp", "raw", 1, 2, "half_rtt_s", 10e-6},
			{"pingpong", "tcp", "raw", 1024, 2, "half_rtt_s", 20e-6},
		}},
		{"np.out", Given{}, []want{
			{"pingpong", "unknown", "raw", 1, 2, "half_rtt_s", 10e-6},
			{"pingpong", "unknown", "raw", 1024, 2, "half_rtt_s", 20e-6},
		}},
		{"ucx.log", Given{Transport: "tcp"}, []want{
			{"pingpong", "tcp", "device", 8, 2, "half_rtt_s", 5.343e-6},
			{"uniband", "tcp", "device", 65536, 2, "bandwidth_Bps", 342.79 * (1 << 20)},
		}},
		{"fabric.log", Given{}, []want{
			{"pingpong", "unknown", "raw", 0, 2, "half_rtt_s", 1157.18e-6},
			{"pingpong", "unknown", "raw", 8, 2, "half_rtt_s", 5.23e-6},
			{"pingpong", "unknown", "raw", 65536, 2, "half_rtt_s", 13.11e-6},
			{"pingpong", "unknown", "raw", 1 << 20, 2, "half_rtt_s", 2173.20e-6},
		}},
		{"nccl.log", Given{}, []want{
			{"allgather", "unknown", "comm", 4, 2, "local_s", 27.21e-6},
			{"allgather", "unknown", "comm", 4, 2, "local_s", 26.61e-6},
			{"allgather", "unknown", "comm", 524288, 2, "busbw_Bps", 10.49e9},
		}},
		{"points.jsonl.log", Given{Transport: "smem"}, []want{
			{"pingpong", "smem", "comm", 1024, 2, "half_rtt_s", 2e-7},
			{"pingpong", "smem", "raw", 8, 2, "half_rtt_s", 1e-7},
		}},
	} {
		_, points := read(t, c.file, c.given)
		if len(points) != len(c.want) {
			t.Errorf("%s: %d points, want %d", c.file, len(points), len(c.want))
			continue
		}
		for i, w := range c.want {
			p := points[i]
			got := want{p.Bench, p.Transport, p.Level, p.Size, p.Ranks, w.key, p.Metrics.Median(w.key)}
			if math.Abs(got.median-w.median) <= 1e-9*w.median {
				got.median = w.median
			}
			if got != w {
				t.Errorf("%s: %+v, want %+v", c.file, got, w)
			}
		}
	}
}

// The statistic of a value is recorded: means of all events, percentiles, rates.
func TestStatisticsOfValues(t *testing.T) {
	run, points := read(t, "imb.log", Given{})
	p := points[1]
	if p.Batched != 1000 || p.Iterations != 1000 || p.Metrics.Get("half_rtt_s").N != 1 || p.Metrics.Median("bandwidth_Bps") != 2.048e9 || p.Library != "IMB" || p.Amount != 1024 {
		t.Errorf("%+v", p)
	}
	if points[3].Start != "barrier" || points[3].Batched != 0 || points[4].Start != "none" || points[4].Batched != 1000 || points[5].Window != 64 {
		t.Errorf("%+v, %+v, %+v", points[3], points[4], points[5])
	}
	if all := strings.Join(run.Warnings, "\n"); !strings.Contains(all, "is left out: the time is printed as 0.00") {
		t.Error(all)
	}
	if p.Metrics.Get("half_rtt_s").Statistic != record.Mean || p.Metrics.Get("bandwidth_Bps").Statistic != record.Mean || !strings.HasPrefix(p.Method, "mean of 1000 repetitions timed together, as IMB 2021.3 prints it") {
		t.Errorf("%+v", p)
	}
	if p.Cache != "warm" || p.Memory != "heap" {
		t.Errorf("buffers %q, %q", p.Cache, p.Memory)
	}
	_, points = read(t, "perftest.log", Given{})
	if v := points[0].Metrics.Get("half_rtt_s"); v.N != 1000 || v.P99 != 1.1e-6 || math.Abs(v.P999-3.4e-6) > 1e-12 || math.Abs(v.Max-3.48e-6) > 1e-12 || points[0].Operation != "rdma-write" || points[0].QPs != 1 {
		t.Errorf("%+v", points[0])
	}
	run, points = read(t, "npb.log", Given{})
	// one thread of each rank, as in the cells of gobench npb
	if points[0].Class != "A" || points[0].Metrics.Median("run_s") != 0.23 || run.Job.Ranks != 4 || points[0].Threads != 1 {
		t.Errorf("%+v", points[0])
	}
	if all := strings.Join(run.Warnings, "\n"); !strings.Contains(all, `the verification of is of class S is "unsuccessful"`) {
		t.Error(all)
	}
}

func TestLogsThatCannotBeRead(t *testing.T) {
	for _, c := range []struct{ log, want string }{
		{"", "x.log: not a log of NPB, IMB, OSU"},
		{"Lorem ipsum\n", "x.log: not a log of NPB, IMB, OSU"},
		{"# Benchmarking PingPong\n# #processes = 2\n", "x.log holds no results (it was read as IMB): line 1: \"# Benchmarking PingPong\" has no results"},
		{"# Benchmarking PingPong\n# #processes = 2\n#bytes #repetitions t[usec] Mbytes/sec\n 8 1000\n", "x.log holds no results (it was read as IMB): line 4 is left out: the row has 2 columns, its heading 4"},
		{"# Benchmarking Bcast\n#bytes #repetitions t_max[usec]\n 8 1000 2\n", "x.log holds no results (it was read as IMB): line 3 is left out: bcast does not state the number of processes: add np"},
		{"# OSU MPI Bcast Latency Test v7.2\n# Size       Avg Latency(us)\n4    1.00\n", "x.log holds no results (it was read as OSU): line 3 is left out: OSU does not state the number of ranks of bcast: add np"},
		{" CG Benchmark Completed.\n Class = A\n", "x.log holds no results (it was read as NPB): line 1 is left out: cg has no time or no rate: the log is incomplete"},
		{`{"schema":"gobench/1","kind":"run","run":"r1"}` + "\n", "x.log:1: the row is a run of gobench: records can be shown and compared without an import"},
		{"   RDMA_Write Latency Test\n #bytes #iterations t_what[usec]\n 8 1000 2\n", "x.log holds no results (it was read as perftest): line 3 is left out: there is no column of a time"},
	} {
		_, _, err := imported("x.log", []byte(c.log), Given{Time: testTime})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %s", c.log, err, c.want)
		}
	}
	var unknown *FormatError
	if _, _, err := imported("x", nil, Given{Time: testTime}); !errors.As(err, &unknown) {
		t.Errorf("%v", err)
	}
}

// Rows before a truncated line are kept. A truncated last line is a warning; a truncated row with a
// newline is an error.
func TestATruncatedLog(t *testing.T) {
	data, _ := os.ReadFile(filepath.Join("testdata", "imb.log"))
	cut := strings.Index(string(data), "1024         1000         1.90")
	for _, at := range []int{20, len("1024         1000         1.90         2.00         1.95      204")} {
		run, points, err := imported("imb.log", data[:cut+at], Given{Time: testTime})
		if err != nil || len(points) != 2 || !slices.Contains(run.Warnings, "the last line of the log is incomplete and is left out") {
			t.Errorf("%d points, error %v, warnings %q", len(points), err, run.Warnings)
		}
	}
	launches, err := Import("imb.log", append(slices.Clone(data[:cut+20]), '\n'), Given{Strict: true})
	var line *record.FileError
	if !errors.As(err, &line) || len(Join(launches).Points) != 2 {
		t.Errorf("%+v, error %v", launches, err)
	}
}

// The run of a log depends on its bytes up to the last row only, not on its name or the given
// facts.
func TestALogIsOneRun(t *testing.T) {
	data, _ := os.ReadFile(filepath.Join("testdata", "imb.log"))
	sum := sha256.Sum256(data)
	digest := hex.EncodeToString(sum[:])
	first, _, err := imported("imb.log", data, Given{Time: testTime})
	if err != nil || first.Source == nil || *first.Source != (record.Source{Name: "imb.log", SHA256: digest}) || !strings.HasPrefix(first.ID, "log-") {
		t.Errorf("%+v, error %v", first, err)
	}
	again, points, _ := imported("copy.log", data, Given{Time: testTime.Add(time.Hour), Library: "MPI", Ranks: 2})
	if again.ID != first.ID || points[0].Run != first.ID {
		t.Errorf("%s and %s", again.ID, first.ID)
	}
	grown, _ := Import("imb.log", append(slices.Clone(data), data...), Given{})
	if len(grown) != 2 || grown[0].Run.ID != first.ID || grown[1].Run.ID == first.ID {
		t.Errorf("a log of two programs: %+v", grown)
	}
	other, _, _ := imported("imb.log", append([]byte("\n"), data...), Given{})
	if other.ID == first.ID {
		t.Error("another log has the same ID")
	}
}

// The program of a run is the one that measured.
func TestTheProgramIsThatOfTheLog(t *testing.T) {
	for file, want := range map[string]string{
		"imb.log": "IMB 2021.3", "imb2019.log": "IMB 2019 Update 6", "osu74.log": "OSU 7.4", "npb.log": "NPB 3.4.2", "perftest.log": "perftest", "np.out": "NetPIPE",
	} {
		run, _ := read(t, file, Given{Ranks: 2})
		if got := run.Program.(map[string]any)["version"]; got != want {
			t.Errorf("%s: program %q, want %q", file, got, want)
		}
	}
}

// IS ends without a full stop, and small classes print a time of 0.00.
func TestNPBOfASmallSort(t *testing.T) {
	log := "\n\n NAS Parallel Benchmarks 3.4 -- IS Benchmark\n\n\n IS Benchmark Completed\n" +
		" Class           =                        S\n Size            =                    65536\n" +
		" Time in seconds =                     0.00\n Total processes =                        2\n" +
		" Mop/s total     =                   204.81\n Verification    =               SUCCESSFUL\n Version         =                    3.4.2\n"
	_, points, err := imported("is.log", []byte(log), Given{Time: testTime})
	if err != nil || len(points) != 1 {
		t.Fatalf("%d points, %v", len(points), err)
	}
	p := points[0]
	if !strings.Contains(p.Method, "the time is too short to be printed") {
		t.Errorf("method %q", p.Method)
	}
	if timed := p.Metrics.Has("run_s"); timed || p.Bench != "is" || p.Ranks != 2 || p.Metrics.Median("mops") != 204.81 {
		t.Errorf("%+v", p)
	}
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
	if _, points, err := imported("is.log", []byte(strings.Replace(log, "   SUCC", " UNSUCC", 1)), Given{Time: testTime}); err == nil || len(points) != 0 {
		t.Errorf("a run that was not verified: %d points, %v", len(points), err)
	}
}

// The multi-zone benchmarks print the threads of all ranks.
func TestNPBThreadsOfARank(t *testing.T) {
	log := "\n\n NAS Parallel Benchmarks (NPB3.4-MZ-MPI) - BT-MZ MPI+OpenMP Benchmark\n\n\n BT-MZ Benchmark Completed.\n" +
		" Class           =                        S\n Time in seconds =                     0.25\n" +
		" Total processes =                        2\n Total threads   =                        4\n" +
		" Mop/s total     =                   900.00\n Verification    =               SUCCESSFUL\n Version         =                    3.4.2\n"
	_, points, err := imported("bt-mz.log", []byte(log), Given{Time: testTime})
	if err != nil || len(points) != 1 {
		t.Fatalf("%d points, %v", len(points), err)
	}
	if p := points[0]; p.Bench != "bt-mz" || p.Ranks != 2 || p.Threads != 2 {
		t.Errorf("%s on %d ranks of %d threads", p.Bench, p.Ranks, p.Threads)
	}
}

// If the output of the other side of the program is missing, or the log is incomplete, the error
// names the missing part.
func TestLogsThatLackSomething(t *testing.T) {
	for file, want := range map[string]struct{ text, said string }{
		"client.log": {"|    Stage     | # iterations | 50.0%ile | average | overall\nFinal:  1000  5.3  51.1  51.1  0.15  0.15  19547  19547\n", "client.log holds no results (it was read as ucx_perftest): line 2 is left out: the test is not stated"},
		"old.log":    {"# nThread 1 nGpus 1 iters: 20 agg iters: 1\n#  Rank  0 Group\n# size count time algbw busbw\n 8 2 27.21 0 0\n", "old.log holds no results (it was read as nccl-tests): line 4 is left out: the log does not name the collective"},
		"cut.log":    {"bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec\n8 50 =50 80", "cut.log holds no results (it was read as fi_pingpong)"},
		"mixed.log":  {"{\"kind\":\"point\",\"bench\"\n", "mixed.log holds no results (it was read as jsonl): line 1 is left out: the row is incomplete or not JSON"},
		"none.log":   {"{\"kind\":\"point\",\"bench\":\"pingpong\",\"ranks\":2}\n", "none.log holds no results (it was read as jsonl): line 1 is left out: metrics: a point has at least one metric"},
	} {
		_, _, err := imported(file, []byte(want.text), Given{Time: testTime})
		if err == nil || !strings.HasPrefix(err.Error(), want.said) {
			t.Errorf("%s: %v", file, err)
		}
	}
	given := Given{Time: testTime, Bench: "allreduce", Format: "nccl-tests"}
	_, points, err := imported("old.log", []byte("# nThread 1 nGpus 1 iters: 20 agg iters: 1\n#  Rank  0 Group\n# size count time algbw busbw\n 8 2 27.21 0 0\n"), given)
	if err != nil || len(points) != 1 || points[0].Bench != "allreduce" || points[0].Batched != 20 {
		t.Errorf("%+v, %v", points, err)
	}
}

// The logs of several programs of nccl-tests in one file are told apart.
func TestSeveralProgramsOfNCCL(t *testing.T) {
	one := func(name string) string {
		return "# Collective test starting: " + name + "_perf\n# nThread 1 nGpus 2 iters: 20 agg iters: 1\n#  Rank  0 Group\n#  Rank  1 Group\n# size count time algbw busbw\n 8 2 27.21 0 0\n"
	}
	_, points, err := imported("x.log", []byte(one("all_reduce")+one("all_gather")), Given{Time: testTime})
	if err != nil || len(points) != 2 {
		t.Fatalf("%+v, %v", points, err)
	}
	for i, want := range []record.Point{{Bench: "allreduce", Size: 8}, {Bench: "allgather", Size: 4}} {
		if p := points[i]; p.Bench != want.Bench || p.Size != want.Size || p.Ranks != 2 {
			t.Errorf("%s of %d bytes on %d ranks, want %s of %d on 2", p.Bench, p.Size, p.Ranks, want.Bench, want.Size)
		}
	}
}

// OSU's latency of several pairs needs the number of ranks, and its bandwidth covers all pairs.
func TestLatencyOfSeveralPairs(t *testing.T) {
	log := []byte("# OSU MPI Multi Latency Test v7.4\n# Size       Avg Latency(us)\n8                       2.00\n")
	if _, _, err := imported("x.log", log, Given{Time: testTime}); err == nil || !strings.Contains(err.Error(), "add np") {
		t.Errorf("without ranks: %v", err)
	}
	_, points, err := imported("x.log", log, Given{Time: testTime, Ranks: 8})
	if err != nil || len(points) != 1 || points[0].Ranks != 8 || math.Abs(points[0].Metrics.Median("bandwidth_Bps")-4*8/2e-6) > 1 {
		t.Errorf("%+v, %v", points, err)
	}
}
