package importer

import (
	"math"
	"strings"
	"testing"

	"gobench/record"
)

// osu74.log and imb2021.log are the output of OSU 7.4 and IMB 2021.11 with MPICH 4.0.2 on a busy
// machine: every test with all its options.
func TestLogsAsTheProgramsPrintThem(t *testing.T) {
	for _, c := range []struct {
		file     string
		want     []want
		warnings []string
	}{
		{"osu74.log", []want{
			{"pingpong", "unknown", "comm", 2, 2, "half_rtt_s", 0.28e-6},
			{"uniband", "unknown", "comm", 4, 2, "bandwidth_Bps", 0.02e6},
			{"biband", "unknown", "comm", 1, 2, "bandwidth_Bps", 0.03e6},
			{"uniband", "unknown", "comm", 1, 2, "bandwidth_Bps", 12454.79}, // 0.01 MB/s in the log
			{"uniband", "unknown", "comm", 4, 2, "message_rate_per_s", 3452472.4},
			{"bcast", "unknown", "comm", 4, 2, "local_s", 4.06e-6},
			{"bcast", "unknown", "comm", 4, 2, "local_s", 0.46e-6}, // -f: the slowest rank
			{"alltoall", "unknown", "comm", 8, 2, "local_s", 1.35e-6},
			{"alltoallv", "unknown", "comm", 8, 2, "local_s", 458.18e-6},
			{"allreduce", "unknown", "comm", 8, 2, "local_s", 3169.14e-6}, // -c
			{"allreduce", "unknown", "comm", 8, 2, "local_s", 3.64e-6},    // -f -c -z
			{"reduce_scatter_block", "unknown", "comm", 8, 2, "local_s", 2042.75e-6},
			{"barrier", "unknown", "comm", 0, 2, "local_s", 7994.95e-6},
			{"iallreduce", "unknown", "comm", 8, 2, "overlapped_s", 2830.76e-6},
			{"iallreduce", "unknown", "comm", 8, 2, "pure_s", 2478.89e-6},
			{"iallreduce", "unknown", "comm", 8, 2, "compute_s", 2774.24e-6},
			{"iallreduce", "unknown", "comm", 8, 2, "overlap_ratio", 0.9772},
			{"iallreduce", "unknown", "comm", 8, 2, "pure_s", 214.08e-6}, // -f
			{"iallreduce", "unknown", "comm", 8, 2, "pure_s", 1.68e-6},   // -c
			{"ibcast", "unknown", "comm", 4, 2, "pure_s", 4.35e-6},
			{"ialltoall", "unknown", "comm", 8, 2, "overlapped_s", 362.98e-6},
			{"ibarrier", "unknown", "comm", 0, 2, "pure_s", 1041.31e-6},
			{"put", "unknown", "comm", 16, 2, "t_s", 5.61e-6},
			{"get", "unknown", "comm", 16, 2, "t_s", 18.79e-6},
			{"put_uniband", "unknown", "comm", 16, 2, "bandwidth_Bps", 29.35e6},
			{"get_uniband", "unknown", "comm", 16, 2, "bandwidth_Bps", 31.55e6},
			{"put_biband", "unknown", "comm", 16, 2, "bandwidth_Bps", 113.27e6},
			{"compare_and_swap", "unknown", "comm", 1, 2, "t_s", 8.86e-6},
			{"get_accumulate", "unknown", "comm", 8, 2, "t_s", 32.79e-6},
		}, []string{"the bandwidth is printed as 0.00", "the mean over ranks is printed"}},
		{"imb2021.log", []want{
			{"pingpong", "unknown", "comm", 0, 2, "half_rtt_s", 0.19e-6},
			{"pingpong", "unknown", "comm", 8, 2, "bandwidth_Bps", 40.53e6},
			{"pingpong", "unknown", "comm", 8, 2, "half_rtt_s", 8 / 40.53e6}, // 0.20 in the log
			{"pingping", "unknown", "comm", 4, 2, "t_s", 4 / 14.66e6},
			{"sendrecv", "unknown", "comm", 16, 2, "t_s", 2 * 16 / 112.95e6},
			{"exchange", "unknown", "comm", 16, 2, "t_s", 4 * 16 / 117.96e6},
			{"uniband", "unknown", "comm", 4, 2, "bandwidth_Bps", 4 * 3513599},
			{"biband", "unknown", "comm", 0, 2, "message_rate_per_s", 2908631},
			{"bcast", "unknown", "comm", 8, 2, "local_s", 0.82e-6},
			{"alltoall", "unknown", "comm", 8, 2, "local_s", 0.9e-6},
			{"barrier", "unknown", "comm", 0, 2, "local_s", 0.68e-6},
		}, []string{"times are computed from the bandwidth where that is printed with more digits"}},
	} {
		run, points := read(t, c.file, Given{Ranks: 2})
		for _, w := range c.want {
			if !holds(points, w) {
				t.Errorf("%s: no point %+v", c.file, w)
			}
		}
		for _, p := range points {
			for key, v := range p.Metrics.All() {
				if v.Statistic != record.Mean && v.Statistic != record.RankMean || v.N != 1 {
					t.Errorf("%s: %s of %s is %+v", c.file, key, p.Bench, v)
				}
			}
			if !strings.HasPrefix(p.Method, "mean") || p.Cache != "warm" || p.Memory != "heap" {
				t.Errorf("%s: %+v", c.file, p)
			}
		}
		all := strings.Join(run.Warnings, "\n")
		for _, w := range c.warnings {
			if !strings.Contains(all, w) {
				t.Errorf("%s: no warning %q in %s", c.file, w, all)
			}
		}
		if strings.Contains(all, "not known here") {
			t.Errorf("%s: %s", c.file, all)
		}
	}
}

func holds(points []record.Point, w want) bool {
	for _, p := range points {
		v, ok := p.Metrics.Lookup(w.key)
		if ok && p.Bench == w.bench && p.Transport == w.transport && p.Level == w.level && p.Size == w.size && p.Ranks == w.ranks &&
			math.Abs(v.Median-w.median) <= 1e-9*w.median {
			return true
		}
	}
	return false
}

// The titles of OSU's tests, releases 3 to 7.
func TestTitlesOfOSU(t *testing.T) {
	for title, want := range map[string]string{
		"MPI Broadcast Latency":                                             "bcast",
		"MPI-CUDA Broadcast Latency":                                        "bcast",
		"MPI-CUDA MANAGED Allreduce Latency":                                "allreduce",
		"MPI_Bcast Latency":                                                 "bcast",
		"MPI All-to-All Personalized Exchange Latency":                      "alltoall",
		"MPI-ROCM All-to-Allv Personalized Exchange Latency":                "alltoallv",
		"MPI All-to-Allw Personalized Exchange Latency":                     "alltoallw",
		"MPI Reduce_scatter_block Latency":                                  "reduce_scatter_block",
		"MPI Non-Blocking Broadcast Latency":                                "ibcast",
		"MPI Non-blocking All-to-All Latency":                               "ialltoall",
		"MPI Non-blocking All-to-Allw Personalized Exchange Latency":        "ialltoallw",
		"MPI Non-blocking Reduce_scatter_block Latency":                     "ireduce_scatter_block",
		"MPI Allreduce Persistent Latency":                                  "",
		"MPI Neighborhood Allgather Latency":                                "neighbor_allgather",
		"MPI Non-blocking Neighborhood All-to-Allw Latency":                 "ineighbor_alltoallw",
		"MPI Non-blocking Neighborhood Alltoall Latency":                    "ineighbor_alltoall",
		"MPI Neighborhood All-to-Allv Latency":                              "neighbor_alltoallv",
		"MPI All-to-All Personalized Exchange Persistent Latency":           "",
		"OpenSHMEM Barrier Latency":                                         "",
		"UPC Gather Latency":                                                "",
		"NCCL Allreduce Latency":                                            "allreduce",
		"MPI Init":                                                          "",
		"MPI_Put Multiple Bandwidth Bi-directional Broadcast Latency thing": "",
	} {
		if got, known := osuCollective(osuName(title)); got != want || known != (want != "") {
			t.Errorf("%s is %q, want %q", title, got, want)
		}
	}
}

// In old releases of IMB a MB is 2^20 bytes. The unit is determined from the times.
func TestMegabytesOfIMB(t *testing.T) {
	log := "#    Intel (R) MPI Benchmark Suite V3.2, MPI-1 part\n# Benchmarking PingPong\n# #processes = 2\n" +
		"       #bytes #repetitions      t[usec]   Mbytes/sec\n         1024         1000         2.00       488.28\n"
	run, points, err := imported("x", []byte(log), Given{Time: testTime})
	if err != nil || len(points) != 1 || points[0].Metrics.Median("bandwidth_Bps") != 488.28*(1<<20) || !strings.Contains(strings.Join(run.Warnings, " "), "2^20") {
		t.Errorf("%+v, %v", points, err)
	}
	// In rows that match neither, the bandwidth is computed from the time.
	_, points, err = imported("x", []byte(strings.Replace(log, "488.28", "300.00", 1)), Given{Time: testTime})
	if err != nil || points[0].Metrics.Median("half_rtt_s") != 2e-6 || points[0].Metrics.Median("bandwidth_Bps") != 1024/2e-6 {
		t.Errorf("%+v, %v", points, err)
	}
}

// The method of a point states the rounding of a time of 0.02 s.
func TestTheRoundingOfNPB(t *testing.T) {
	log := " FT Benchmark Completed.\n Class = S\n Time in seconds = 0.02\n Mop/s total = 9214.33\n Verification = SUCCESSFUL\n Version = 3.4.2\n"
	_, points, err := imported("x", []byte(log), Given{Time: testTime})
	want := "one run, as NPB 3.4.2 prints it; the time of 0.02 s is known to 25 %, the rate to 5.4e-05 %"
	if err != nil || len(points) != 1 || points[0].Method != want {
		t.Errorf("%+v, %v", points, err)
	}
}
