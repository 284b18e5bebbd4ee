package importer

import (
	"math"
	"strings"
	"testing"

	"gobench/record"
)

// points imports a log and returns the points of all launches.
func points(t *testing.T, log string, given Given) []record.Point {
	t.Helper()
	return Join(all(t, log, given)).Points
}

// near reports whether two values differ by rounding only.
func near(x, y float64) bool { return math.Abs(x-y) <= 1e-9*math.Abs(y) }

// With -off_cache buffers are not warm, also with the default size of the cache (-1).
func TestBuffersOfIMB(t *testing.T) {
	log := "# Calling sequence was:\n\n# IMB-MPI1 -off_cache -1 PingPong\n\n# Benchmarking PingPong\n# #processes = 2\n#bytes #repetitions t[usec] Mbytes/sec\n0 1000 1.00 0.00\n"
	if p := points(t, log, Given{})[0]; p.Cache != "" {
		t.Errorf("cache %q with -off_cache", p.Cache)
	}
	if p := points(t, strings.Replace(log, " -off_cache -1", "", 1), Given{})[0]; p.Cache != "warm" {
		t.Errorf("cache %q", p.Cache)
	}
}

// The blocks of vector forms of IMB and OSU are equally long, as those of gobench that are called
// even; other operations have no distribution.
func TestDistributionOfVectorForms(t *testing.T) {
	for log, want := range map[string]string{
		"# OSU MPI Allgatherv Latency Test v7.4\n# Size       Avg Latency(us)\n8  1.00\n":                                                            "even",
		"# OSU MPI All-to-Allv Personalized Exchange Latency Test v7.4\n# Size       Avg Latency(us)\n8  1.00\n":                                     "even",
		"# OSU MPI Allgather Latency Test v7.4\n# Size       Avg Latency(us)\n8  1.00\n":                                                             "",
		"# Benchmarking Igatherv\n# #processes = 2\n#bytes #repetitions t_ovrl[usec] t_pure[usec] t_CPU[usec] overlap[%]\n8 1000 3.0 2.0 2.0 50.0\n": "even",
	} {
		if p := points(t, log, Given{Ranks: 2})[0]; p.Distribution != want {
			t.Errorf("%s: distribution %q, want %q", p.Bench, p.Distribution, want)
		}
	}
}

// The kinds of memory of both sides are a factor. H and H are host memory, whatever the title says.
func TestKindsOfMemory(t *testing.T) {
	osu := func(line string) string {
		return "# OSU MPI-CUDA Latency Test v5.9\n" + line + "# Size          Latency (us)\n8    17.80\n"
	}
	ucx := func(sent, held string) string {
		return "| Test:         tag match latency  |\n| Send memory:  " + sent + " |\n| Recv memory:  " + held + " |\n| Message size: 8 |\n" +
			"|    Stage     | # iterations | 50.0%ile | average | overall |  average |  overall |  average  |  overall  |\nFinal:                  1000      5.343    51.159    51.159        0.15       0.15       19547       19547\n"
	}
	for name, c := range map[string]struct{ log, want string }{
		"device":         {osu("# Send Buffer on DEVICE (D) and Receive Buffer on DEVICE (D)\n"), "cuda to cuda"},
		"host":           {osu("# Send Buffer on HOST (H) and Receive Buffer on HOST (H)\n"), ""},
		"host to device": {osu("# Send Buffer on HOST (H) and Receive Buffer on DEVICE (D)\n"), "host to cuda"},
		"managed":        {osu("# Send Buffer on MANAGED (M) and Receive Buffer on DEVICE (D)\n"), "cuda-managed to cuda"},
		"title alone":    {osu(""), "cuda to cuda"},
		"no accelerator": {strings.Replace(osu(""), "-CUDA", "", 1), ""},
		"ucx":            {ucx("cuda", "host"), "cuda to host"},
		"ucx host":       {ucx("host", "host"), ""},
		"perftest":       {"initializing CUDA\n   Send Latency Test\n #bytes #iterations t_min[usec] t_max[usec] t_typical[usec]\n 8 1000 1.00 3.00 2.00\n", "cuda"},
	} {
		p := points(t, c.log, Given{})[0]
		if p.MemoryKind != c.want {
			t.Errorf("%s: memory %q, want %q", name, p.MemoryKind, c.want)
		}
		if strings.HasPrefix(c.log, "# OSU") && (p.Memory == "heap") != (c.want == "") {
			t.Errorf("%s: memory of the process %q", name, p.Memory)
		}
	}
	two := points(t, osu("# Send Buffer on DEVICE (D) and Receive Buffer on DEVICE (D)\n")+osu("# Send Buffer on HOST (H) and Receive Buffer on HOST (H)\n"), Given{})
	if two[0].CellKey() == two[1].CellKey() {
		t.Error("memory of the accelerator and of the host are one cell")
	}
}

// The number of events and of ranks of nccl-tests of several releases.
func TestEventsAndRanksOfNCCL(t *testing.T) {
	table := "# size count type redop time algbw busbw error time algbw busbw error\n 1024 256 float sum 27.21 0.04 0.04 0e+00 26.00 0.04 0.04 0e+00\n"
	rank := func(n string) string { return "#   Rank  " + n + " Pid  4711 on node1 device  0 [0x07] Tesla\n" }
	old := "# nThread 1 nGpus 1 minBytes 8 maxBytes 1024 step: 2(factor) warmup iters: 5 iters: 20 validation: 1 \n"
	given := Given{Bench: "all_reduce"}
	got := points(t, old+rank("0")+rank("1")+table+old+rank("0")+table, given)
	if len(got) != 4 || got[0].Iterations != 20 || got[0].Batched != 20 || got[0].Ranks != 2 || got[3].Ranks != 1 || !got[1].InPlace || got[2].InPlace {
		t.Errorf("%+v", got)
	}
	aggregated := strings.Replace(old, "iters: 20 ", "iters: 20 agg iters: 4 ", 1)
	if got = points(t, aggregated+rank("0")+table, given); got[0].Iterations != 80 {
		t.Errorf("aggregated: %d iterations", got[0].Iterations)
	}
	// Two processes that did not find each other.
	launches := all(t, old+old+rank("0")+rank("0")+table+table, given)
	if p := launches[0].Points[0]; p.Ranks != 1 || !strings.Contains(said(launches), "rank 0 is listed twice") {
		t.Errorf("%d ranks, %s", p.Ranks, said(launches))
	}
	if s := got[0].Metrics.Get("local_s").Statistic; s != record.RankMean || got[0].Datatype != "float" || got[0].Reduction != "sum" {
		t.Errorf("%q, %+v", s, got[0])
	}
	// alltoall has no reduction, and prints none.
	blank := strings.NewReplacer("redop time", "redop root time", " sum ", " -1 ").Replace(table)
	if got = points(t, old+rank("0")+blank, Given{Bench: "alltoall"}); len(got) != 2 || got[0].Reduction != "" || got[0].Root != "" || !near(got[0].Metrics.Median("local_s"), 27.21e-6) {
		t.Errorf("alltoall: %+v", got)
	}
	// The collective that a flag names is not that of every table.
	launches = all(t, old+rank("0")+table+old+rank("0")+strings.Replace(table, " sum ", " none ", 1), given)
	if len(launches) != 1 || !strings.Contains(said(launches), `line 8 is left out: its reduction is "none", which allreduce does not have`) {
		t.Errorf("%d launches, %s", len(launches), said(launches))
	}
	if _, err := Import("x", []byte(old+rank("0")+table), Given{Bench: "frobnicate"}); err == nil || !strings.Contains(err.Error(), `"frobnicate" is not a known collective: name it with bench: allgather, allreduce,`) {
		t.Errorf("%v", err)
	}
}

// What distinguishes tables of perftest are factors.
func TestFactorsOfPerftest(t *testing.T) {
	one := func(title, qps, service string) string {
		return "---\n                    " + title + " Test\n Dual-port       : OFF\t\tDevice         : mlx5_0\n Number of qps   : " + qps + "\t\tTransport type : IB\n Connection type : " + service +
			"\t\tUsing SRQ      : OFF\n TX depth        : 128\n CQ Moderation   : 100\n Mtu             : 4096[B]\n Max inline data : 0[B]\n---\n" +
			" #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n 65536      5000             11000.00            10000.00		   0.160000\n---\n"
	}
	got := points(t, one("Send BW", "1", "RC")+one("RDMA_Read BW", "8", "RC")+one("Send BW", "8", "RC")+one("Send BW", "1", "UD")+one("RDMA_Write Bidirectional BW", "1", "RC"), Given{})
	keys := map[string]bool{}
	for _, p := range got {
		keys[p.CellKey()] = true
	}
	if len(got) != 5 || len(keys) != 5 {
		t.Fatalf("%d points of %d cells", len(got), len(keys))
	}
	if p := got[1]; p.Bench != "get_bw" || p.Operation != "rdma-read" || p.QPs != 8 || p.Service != "RC" || p.Window != 128 || p.MTU != 4096 {
		t.Errorf("%+v", p)
	}
	if got[3].Service != "UD" || got[4].Bench != "put_bibw" || got[0].Bench != "uniband" {
		t.Errorf("%+v", got)
	}
}

// The operations of ucx_perftest have the names of gobench's benchmarks.
func TestOperationsOfUCX(t *testing.T) {
	for test, want := range map[string]struct {
		bench, operation, level, key string
	}{
		"put latency":                             {"put_lat", "put", "raw", "half_rtt_s"},
		"get latency / bandwidth / message rate":  {"get_lat", "get", "raw", "t_s"},
		"tag match latency":                       {"pingpong", "tag", "device", "half_rtt_s"},
		"tag sync match latency":                  {"pingpong", "tag-sync", "device", "half_rtt_s"},
		"am latency":                              {"pingpong", "am", "raw", "half_rtt_s"},
		"active message latency":                  {"pingpong", "am", "raw", "half_rtt_s"},
		"stream latency":                          {"pingpong", "stream", "raw", "half_rtt_s"},
		"atomic fetch-and-add latency / rate":     {"fadd_lat", "fadd", "raw", "t_s"},
		"atomic compare-and-swap latency / rate":  {"cswap_lat", "cswap", "raw", "t_s"},
		"OVER put bandwidth / message rate":       {"put_bw", "put", "raw", "message_rate_per_s"},
		"OVER atomic add message rate":            {"add_bw", "add", "raw", "message_rate_per_s"},
		"OVER tag match bandwidth / message rate": {"uniband", "tag", "device", "bandwidth_Bps"},
	} {
		what := "latency (usec)"
		name, over := strings.CutPrefix(test, "OVER ")
		if over {
			what = "overhead (usec)"
		}
		log := "| Test:         " + name + "   |\n| Message size: 8    |\n|              |              |        " + what + "        |   bandwidth (MB/s)  |  message rate (msg/s) |\n" +
			"|    Stage     | # iterations | 50.0%ile | average | overall |  average |  overall |  average  |  overall  |\nFinal:                  1000      5.343    51.159    51.159        0.15       0.15       19547       19547\n"
		p := points(t, log, Given{})[0]
		if ok := p.Metrics.Has(want.key); !ok || p.Bench != want.bench || p.Operation != want.operation || p.Level != want.level {
			t.Errorf("%s: %s, %s, %s, %v; want %+v", test, p.Bench, p.Operation, p.Level, p.Metrics, want)
		}
	}
}

// NPB-CPP names the class otherwise, and Fortran prints a number that is too long as asterisks.
func TestClassAndTimeOfNPB(t *testing.T) {
	log := " CG Benchmark Completed\n class_npb       =                        B\n Time in seconds = ********\n Mop/s total     =                  1.00\n Verification    =               SUCCESSFUL\n Version         = 4.1\n"
	p := points(t, log, Given{})[0]
	if p.Class != "B" || !strings.Contains(p.Method, "too long to be printed") {
		t.Errorf("class %q, %s", p.Class, p.Method)
	}
	if timed := p.Metrics.Has("run_s"); timed {
		t.Errorf("%+v", p.Metrics)
	}
}

// A value is one that both columns of IMB allow.
func TestBothColumnsOfIMBAllowAValue(t *testing.T) {
	log := "# Benchmarking Sendrecv\n# #processes = 2\n#bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]   Mbytes/sec\n1 1000 1.17 1.19 1.18 1.69\n1024 1000 1.90 2.00 1.95 1024.00\n"
	got := points(t, log, Given{})
	if x := got[0].Metrics.Median("t_s"); x < 1.185e-6 || x > 1.195e-6 || 2/x < 1.685e6 || 2/x > 1.695e6 || !near(got[0].Metrics.Median("bandwidth_Bps"), 2/x) {
		t.Errorf("%+v", got[0].Metrics)
	}
	if x := got[1].Metrics.Median("t_s"); !near(x, 2*1024/1024e6) {
		t.Errorf("%+v", got[1].Metrics)
	}
}

// The groups of -multi 1, which are printed apart, are one result: that of the slowest.
func TestGroupsThatIMBPrintsApart(t *testing.T) {
	for _, first := range []string{"Group", "#Group"} {
		log := "# Benchmarking Multi-Allreduce\n# ( 2 groups of 4 processes each running simultaneously )\n" +
			first + " #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n0 8 1000 1.00 2.00 1.50\n1 8 1000 1.10 2.50 1.60\n\n0 16 1000 3.00 4.00 3.50\n1 16 1000 3.10 3.90 3.60\n"
		got := points(t, log, Given{})
		if len(got) != 2 || !near(got[0].Metrics.Median("local_s"), 2.5e-6) || !near(got[1].Metrics.Median("local_s"), 4e-6) || got[0].Groups != 2 || got[0].Ranks != 4 || got[0].Size != 8 {
			t.Errorf("%+v", got)
		}
	}
}

// The times of the fastest and of the mean rank are kept, where they are printed.
func TestTimesOfOtherRanksAreKept(t *testing.T) {
	imb := points(t, "# Benchmarking Allreduce\n# #processes = 4\n#bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n8 1000 1.10 1.30 1.20\n", Given{})[0]
	osu := points(t, "# OSU MPI Allreduce Latency Test v5.9\n# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations\n8  1.20  1.10  1.30  1000\n", Given{Ranks: 4})[0]
	for _, p := range []record.Point{imb, osu} {
		if m := p.Metrics; !near(m.Median("local_s"), 1.3e-6) || !near(m.Median("fastest_s"), 1.1e-6) || !near(m.Median("average_s"), 1.2e-6) || m.Get("local_s").Statistic != record.Mean || m.Get("average_s").Statistic != record.RankMean {
			t.Errorf("%+v", m)
		}
	}
	mean := points(t, "# OSU MPI Allreduce Latency Test v5.9\n# Size       Avg Latency(us)\n8  1.20\n", Given{Ranks: 4})[0]
	if v := mean.Metrics.Get("local_s"); v.Statistic != record.RankMean || mean.Metrics.Len() != 1 {
		t.Errorf("%+v", mean.Metrics)
	}
}

// What a log does not state is not claimed.
func TestNothingIsClaimed(t *testing.T) {
	imb := "# Benchmarking Allreduce\n# #processes = 2\n#bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n8 1000 1.10 1.30 1.20\n"
	if p := points(t, imb, Given{})[0]; p.Start != "" || p.Batched != 0 || strings.Contains(p.Method, "together") {
		t.Errorf("a release that is not known: %+v", p)
	}
	for version, start := range map[string]string{"2018 Update 1": "none", "2019 Update 6": "barrier"} {
		if p := points(t, "#    Intel(R) MPI Benchmarks "+version+", MPI-1 part\n"+imb, Given{})[0]; p.Start != start {
			t.Errorf("%s: start %q", version, p.Start)
		}
	}
	if p := points(t, "# OSU MPI Latency Test v5.9\n# Size          Latency (us)\n8    1.00\n", Given{})[0]; p.Iterations != 0 {
		t.Errorf("%d iterations of OSU", p.Iterations)
	}
	for log, want := range map[string]bool{
		"5 0.35 60.1\n":                        false,
		"1 2 3\n4 5 6\n":                       false,
		"1 0.762939 0.0000100\n":               true,
		"1024 390.625 0.0000200\n2048 1 0.5\n": false,
	} {
		if _, err := Import("x.log", []byte(log), Given{}); (err == nil) != want {
			t.Errorf("%q as NetPIPE: %v", log, err)
		}
	}
}

// The heading of osu_ibarrier before release 5.8 has no #.
func TestAHeadingWithoutANumberSign(t *testing.T) {
	log := "# OSU MPI Non-blocking Barrier Latency Test v5.7.1\n# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait\n\n       Overall(us)       Compute(us)    Pure Comm.(us)        Overlap(%)\n             89.72             68.02             63.15             65.64\n"
	got := points(t, log, Given{Ranks: 4})
	if len(got) != 1 || got[0].Bench != "ibarrier" || !near(got[0].Metrics.Median("overlapped_s"), 89.72e-6) || !near(got[0].Metrics.Median("overlap_ratio"), 0.6564) {
		t.Errorf("%+v", got)
	}
}

// osu_mbw_mr with several windows has a column for each, and a second table of message rates.
func TestSeveralWindowsOfOSU(t *testing.T) {
	log := "# OSU MPI Multiple Bandwidth / Message Rate Test v5.9\n# [ pairs: 2 ] [ window size: varied ]\n\n# Uni-directional Bandwidth (MB/sec)\n#             8        16\n8         10.00     20.00\n16        30.00     40.00\n\n" +
		"# Message Rate Profile\n#             8        16\n8    1250000.00 2500000.00\n16   1875000.00 2500000.00\n"
	got := points(t, log, Given{})
	if len(got) != 4 || got[1].Window != 16 || got[1].Size != 8 || !near(got[1].Metrics.Median("bandwidth_Bps"), 20e6) || !near(got[1].Metrics.Median("message_rate_per_s"), 2.5e6) || got[1].Ranks != 4 {
		t.Errorf("%+v", got)
	}
}

// A comma before decimals, as some languages have it, makes no number of another size: the row is
// left out, and of a block the value. Groups of digits are read.
func TestCommasInNumbers(t *testing.T) {
	ucx := func(row string) string { return ucxServer + ucxClient + "Final:  " + row + "\n" }
	npb := " CG Benchmark Completed.\n Class = A\n Time in seconds = 15,41\n Total processes = 4\n Mop/s total = 100.00\n Verification = SUCCESSFUL\n"
	for name, c := range map[string]struct {
		log, want, warning string
	}{
		"UCX": {ucx("2000  0,250   100,000   102,400     9800,00     9765,62         9800        9766"), "", `"0,250" is not a number`},
		"UCX, three decimals": {
			ucx("2000  1,250   1,300   1,400     9800.00     9765.62         9800        9766"), "", `"1,250" is not a number`,
		},
		"UCX, groups": {
			ucx("2,000  0.250   100.000   102.400     9,800.00     9,765.62        9,800        9,766"),
			"uniband unknown device 1048576 B x2 window=16 operation=tag | bandwidth_Bps 1.024e+10 mean | message_rate_per_s 9766 mean", "",
		},
		"OSU": {"# OSU MPI Latency Test v7.4\n# Size       Avg Latency(us)\n8   1,25\n16   1.50\n", "pingpong unknown comm 16 B x2 | bandwidth_Bps 1.06667e+07 mean | half_rtt_s 1.5e-06 mean", `line 3 is left out: "1,25" is not a number`},
		"NetPIPE": {
			"  0:       1 bytes   4972 times -->   0,76 Mbps in   10,03 usec\n  1:       2 bytes   4972 times -->   1.52 Mbps in   10.00 usec\n",
			"pingpong unknown raw 2 B x2 | bandwidth_Bps 200000 best | half_rtt_s 1e-05 best", "line 1 is left out: it is not a row of numbers",
		},
		"NPB": {npb, "cg unknown comm 0 B x4 class=A threads=1 | mops 100", `the time of cg of class A is left out: "15,41" is not a number`},
	} {
		launches, err := Import("x.log", []byte(c.log), Given{})
		if c.want == "" {
			if err == nil || !strings.Contains(err.Error(), c.warning) {
				t.Errorf("%s: %s, error %v", name, said(launches), err)
			}
			continue
		}
		checkSummaries(t, name, c.log, Given{}, c.want)
		if !strings.Contains(said(launches), c.warning) {
			t.Errorf("%s: no %q in %s", name, c.warning, said(launches))
		}
	}
}
