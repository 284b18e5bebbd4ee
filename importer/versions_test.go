package importer

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Logs of several releases of the programs: common fields are read, and wrong or unknown ones are
// left out with a warning.
func TestLogsOfSeveralReleases(t *testing.T) {
	for _, c := range []struct {
		file     string
		given    Given
		want     []want
		warnings []string
	}{
		{"imb2019.log", Given{}, []want{
			{"pingpong", "unknown", "comm", 0, 2, "half_rtt_s", 0.33e-6},
			{"pingpong", "unknown", "comm", 4096, 2, "bandwidth_Bps", 4096 / 1.28e-6},
			{"pingponganysource", "unknown", "comm", 8, 2, "half_rtt_s", 8 / 22.86e6}, // and not 0.35
			{"allreduce", "unknown", "comm", 4, 4, "local_s", 1.9e-6},
			{"put", "unknown", "comm", 8, 2, "t_s", 0.5e-6},
		}, []string{"is left out: its data were wrong"}},
		{"imbnbc.log", Given{}, []want{
			{"ibcast", "unknown", "comm", 1024, 4, "overlap_ratio", 0.4},
			{"ibcast", "unknown", "comm", 1024, 4, "pure_s", 2.1e-6},
		}, nil},
		{"osu5.log", Given{Ranks: 2}, []want{
			{"pingpong", "unknown", "comm", 0, 2, "half_rtt_s", 1.1e-6},
			{"pingpong", "unknown", "comm", 8, 2, "half_rtt_s", 1.15e-6},
			{"uniband", "unknown", "comm", 1 << 20, 2, "bandwidth_Bps", 11800.5e6},
			{"biband", "unknown", "comm", 1 << 20, 2, "bandwidth_Bps", 22000e6},
			{"pingpong_turns", "unknown", "comm", 8, 2, "half_rtt_s", 2.15e-6},
			{"allgather", "unknown", "comm", 1, 2, "local_s", 2.5e-6},
			{"barrier", "unknown", "comm", 0, 2, "local_s", 3.25e-6},
			{"put", "unknown", "comm", 1, 2, "t_s", 1.9e-6},
		}, []string{"the mean over ranks is printed"}},
		{"osu7.log", Given{Ranks: 8}, []want{
			{"pingpong", "unknown", "comm", 1, 2, "half_rtt_s", 3e-6},
			{"allreduce", "unknown", "comm", 4, 8, "local_s", 4.3e-6},
			{"barrier", "unknown", "comm", 0, 8, "local_s", 5.2e-6},
			{"iallreduce", "unknown", "comm", 1024, 8, "overlapped_s", 12e-6},
			{"uniband", "unknown", "comm", 8, 8, "message_rate_per_s", 1e7},
		}, []string{"is left out: its data were wrong"}},
		{"perftest4.log", Given{}, []want{
			{"put_lat", "ibv", "raw", 2, 2, "half_rtt_s", 1.47e-6},
			{"put_lat", "ibv", "raw", 4, 2, "half_rtt_s", 1.46e-6},
			{"put_lat", "ibv", "raw", 8 << 20, 2, "half_rtt_s", 720.5e-6},
			{"get_lat", "ibv", "raw", 2, 2, "t_s", 2.5e-6},
			{"put_bibw", "ibv", "raw", 2, 2, "bandwidth_Bps", 2 * 4.568094e6},
			{"put_bibw", "ibv", "raw", 65536, 2, "bandwidth_Bps", 65536 * 0.21307e6},
			{"uniband", "ibv", "raw", 4096, 2, "bandwidth_Bps", 1000 << 20},
		}, nil},
		{"npb33.log", Given{}, []want{
			{"is", "unknown", "comm", 0, 4, "mops", 419.43},
			{"cg", "unknown", "comm", 0, 1, "run_s", 0.05},
			{"ep", "unknown", "comm", 0, 1, "mops", 22.37},
			{"mg", "unknown", "comm", 0, 4, "mops", 4866},
		}, []string{"NPB version 3.3.1", "NPB version 3.4.2"}},
	} {
		t.Run(c.file, func(t *testing.T) {
			run, points := read(t, c.file, c.given)
			for i := range max(len(points), len(c.want)) {
				if i >= len(points) || i >= len(c.want) {
					t.Fatalf("%d points, want %d", len(points), len(c.want))
				}
				p, w := points[i], c.want[i]
				got := want{p.Bench, p.Transport, p.Level, p.Size, p.Ranks, w.key, p.Metrics.Median(w.key)}
				if math.Abs(got.median-w.median) <= 1e-9*w.median {
					got.median = w.median
				}
				if got != w {
					t.Errorf("%+v, want %+v", got, w)
				}
			}
			all := strings.Join(run.Warnings, "\n")
			for _, w := range c.warnings {
				if !strings.Contains(all, w) {
					t.Errorf("no warning %q in %s", w, all)
				}
			}
		})
	}
}

// Two groups that run concurrently are not two runs.
func TestGroupsThatRunAtOnce(t *testing.T) {
	_, points := read(t, "imb2019.log", Given{})
	if points[0].Groups != 2 || points[2].Groups != 0 {
		t.Errorf("%d and %d groups", points[0].Groups, points[2].Groups)
	}
}

// A truncated log gives a prefix of the results of the whole log: a truncated number is detected by
// the length of its row or cannot be detected. A result whose check is cut off says so.
func TestLogsThatAreCutOffAnywhere(t *testing.T) {
	files, err := filepath.Glob("testdata/*.log")
	if err != nil || len(files) < 8 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, whole, _ := imported(file, data, Given{Time: testTime, Ranks: 4})
		last := -1 // the end of the lines that were tried
		for cut := 0; cut < len(data); cut += 13 {
			if i := bytes.LastIndexByte(data[:cut], '\n'); i > last {
				last = i
				_, some, _ := imported(file, data[:i+1], Given{Time: testTime, Ranks: 4})
				for j := range some {
					if slices.ContainsFunc(some[j].Warnings, func(w string) bool { return strings.HasSuffix(w, "not checked") }) {
						break // what comes after may say that it is wrong
					}
					if some[j].Bench != whole[j].Bench || some[j].Size != whole[j].Size {
						t.Fatalf("%s cut at %d: point %d is %s %d B", file, cut, j, some[j].Bench, some[j].Size)
					}
				}
			}
			_, _, _ = imported(file, data[:cut], Given{Time: testTime, Ranks: 4})
		}
	}
}

// Output of other programs between the rows of a log is ignored.
func TestALogMixedWithOtherOutput(t *testing.T) {
	data, err := os.ReadFile("testdata/osu7.log")
	if err != nil {
		t.Fatal(err)
	}
	mixed := strings.ReplaceAll(string(data), "\n", "\n[node1:4711] mca_base_component: unable to open mca_btl_openib\n")
	_, points, err := imported("x", []byte(mixed), Given{Time: testTime, Ranks: 8})
	if err != nil || len(points) != 5 {
		t.Errorf("%d points, %v", len(points), err)
	}
}

// Other releases of a program print other columns and lines.
func TestColumnsOfOtherReleases(t *testing.T) {
	checkSummaries(t, "osu_bibw", "# OSU MPI Bi-Directional Bandwidth Test v3.6\n# Size     Bi-Bandwidth (MB/s)\n8     2.00\n", Given{},
		"biband unknown comm 8 B x2 | bandwidth_Bps 2e+06 mean")
	perftest := "                    RDMA_Write Latency Test\n Mtu             : 2048B\n #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]\n      2        1000           1.15           8.65             1.19\n" +
		"                    Atomic_FETCH_AND_ADD BW Test\n #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n 8    1000  20.00  16.00  2.097152\n"
	if mtu := all(t, perftest, Given{})[0].Points[0].MTU; mtu != 2048 {
		t.Errorf("perftest: the MTU is %d", mtu)
	}
	checkSummaries(t, "perftest", perftest, Given{},
		"put_lat ibv raw 2 B x2 operation=rdma-write | half_rtt_s 1.19e-06 n=1000 min=1.15e-06 max=8.65e-06",
		"fadd_bw ibv raw 8 B x2 operation=atomic-fetch-and-add | bandwidth_Bps 1.67772e+07 mean | message_rate_per_s 2.09715e+06 mean")
	stream := "STREAM version $Revision: 5.9 $\nThis system uses 8 bytes per DOUBLE PRECISION word.\nArray size = 2000000, Offset = 0\nEach test is run 10 times, but only\n" +
		"Function      Rate (MB/s)   Avg time     Min time     Max time\nCopy:        8000.0000       0.0041       0.0040       0.0042\nSolution Validates\n"
	if n := all(t, stream, Given{})[0].Points[0].Iterations; n != 10 {
		t.Errorf("STREAM: %d iterations", n)
	}
	checkSummaries(t, "STREAM", stream, Given{},
		"stream_copy none raw 16000000 B x1 | bandwidth_Bps 8e+09 best | t_s 0.004 best mean=0.0041 max=0.0042")
	checkSummaries(t, "fabtests", "fi_rma_bw -p verbs -o write server\nname    bytes   iters   total       time     MB/sec    usec/xfer   Mxfers/sec\nfi_rma_bw 4k      10k     39m        0.02s     2048.00        2.00       0.50\n"+
		"$ fi_msg_pingpong -p tcp 10.0.0.1\nname      bytes   iters   total       time     MB/sec    usec/xfer   Mxfers/sec\n64_lat    64      10k     1.2m        0.25s      5.12       12.50       0.08\n", Given{},
		"put_bw unknown raw 4096 B x2 options=provider=verbs | bandwidth_Bps 2.048e+09 mean | message_rate_per_s 500000 mean",
		"pingpong unknown raw 64 B x2 options=provider=tcp | bandwidth_Bps 5.12e+06 mean | half_rtt_s 1.25e-05 mean")
	checkSummaries(t, "netperf", "MIGRATED TCP REQUEST/RESPONSE TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to localhost () port 0 AF_INET : first burst 0\n"+
		"Mean         Transaction \nLatency      Rate        \nMicroseconds Tran/s      \n             \n26.12        40000.000   \n", Given{Size: 1},
		"pingpong tcp raw 1 B x2 | half_rtt_s 1.25e-05 mean | rtt_s 2.5e-05 mean")
}

// IMB-NBC measures the time of an operation alone in two of its tables, in one launch.
func TestPureTimesOfIMB(t *testing.T) {
	const log = "# Benchmarking Ibcast\n# #processes = 4\n#bytes #repetitions t_ovrl[usec] t_pure[usec] t_CPU[usec] overlap[%]\n8 1000 3.20 2.00 2.00 40.00\n" +
		"# Benchmarking Ibcast_pure\n# #processes = 4\n#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]\n8 1000 1.90 2.10 2.00\n"
	if n := len(all(t, log, Given{})); n != 1 {
		t.Errorf("%d launches, want 1", n)
	}
	checkSummaries(t, "launches of both", log+log, Given{}, slices.Repeat([]string{
		"ibcast unknown comm 8 B x4 | compute_s 2e-06 mean | overlap_ratio 0.4 mean | overlapped_s 3.2e-06 mean | pure_s 2e-06 mean",
		"ibcast unknown comm 8 B x4 options=computation=none | average_s 2e-06 mean of ranks | fastest_s 1.9e-06 mean | pure_s 2.1e-06 mean",
	}, 2)...)
}

// What follows the title of OSU, and the name of its version for Python, do not hide it: rows below
// would be of the test before.
func TestTitlesWithMoreBehindThem(t *testing.T) {
	checkSummaries(t, "osu", "# OSU MPI Latency Test v7.4\n# Size          Latency (us)\n1   1.50\n"+
		"# OSU MPI Broadcast Latency Test v7.4 (node01)\n# Size       Avg Latency(us)\n1   9.50\n"+
		"# OMB-Py MPI Bandwidth Test\n# Size (B)      Bandwidth (MB/s)\n4   1000.00\n"+
		"# OSU MPI Latency Test v7.4, on two hosts\n# Size          Latency (us)\n1   2.50\n", Given{Ranks: 4},
		"pingpong unknown comm 1 B x2 | bandwidth_Bps 666667 mean | half_rtt_s 1.5e-06 mean",
		"bcast unknown comm 1 B x4 start=barrier | local_s 9.5e-06 mean of ranks",
		"uniband unknown comm 4 B x2 | bandwidth_Bps 1e+09 mean",
		"pingpong unknown comm 1 B x2 | bandwidth_Bps 400000 mean | half_rtt_s 2.5e-06 mean")
}
