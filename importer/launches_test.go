package importer

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// all imports a log that has results.
func all(t *testing.T, log string, given Given) []Imported {
	t.Helper()
	launches, err := Import("x.log", []byte(log), given)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range launches {
		if err := l.Run.Validate(); err != nil {
			t.Error(err)
		}
		for i := range l.Points {
			if err := l.Points[i].Validate(); err != nil {
				t.Error(err)
			}
		}
	}
	return launches
}

// said joins the warnings of launches.
func said(launches []Imported) string { return strings.Join(Join(launches).Run.Warnings, "\n") }

// Each banner is the start of a program, and each program a launch.
func TestEachBannerIsALaunch(t *testing.T) {
	osu := func(us float64) string {
		return fmt.Sprintf("# OSU MPI Latency Test v5.9\n# Size          Latency (us)\n8    %.2f\n16   3.00\n\n", us)
	}
	launches := all(t, osu(1)+osu(2)+osu(9), Given{})
	if len(launches) != 3 {
		t.Fatalf("%d launches of three programs", len(launches))
	}
	for i, want := range []float64{1e-6, 2e-6, 9e-6} {
		if p := launches[i].Points; len(p) != 2 || p[0].Metrics.Median("half_rtt_s") != want || p[0].Run != launches[i].Run.ID {
			t.Errorf("launch %d: %+v", i, p)
		}
	}
	if launches[2].Run.Series != launches[0].Run.ID || launches[0].Run.Series != launches[0].Run.ID {
		t.Errorf("series %q of %q", launches[2].Run.Series, launches[0].Run.ID)
	}
	other := all(t, osu(1)+"Open MPI v4.0.3, package: x\n"+osu(2), Given{})
	if other[0].Run.Series == other[1].Run.Series {
		t.Error("two libraries in one series")
	}
	if launches[0].Run.ID == launches[1].Run.ID || launches[1].Run.ID == launches[2].Run.ID {
		t.Error("launches with one ID")
	}

	npb := " NAS Parallel Benchmarks 3.4 -- EP Benchmark\n\n EP Benchmark Completed.\n Class = S\n Time in seconds = %d.50\n Mop/s total = 20.00\n Verification = SUCCESSFUL\n"
	text := ""
	for n := range 5 {
		text += fmt.Sprintf(npb, n+1)
	}
	if launches = all(t, text, Given{}); len(launches) != 5 || launches[4].Points[0].Metrics.Median("run_s") != 5.5 {
		t.Errorf("five runs of NPB: %+v", launches)
	}

	// Blocks of results without the lines above them are launches as well.
	text = strings.ReplaceAll(text, " NAS Parallel Benchmarks 3.4 -- EP Benchmark\n", "")
	if launches = all(t, text, Given{}); len(launches) != 5 {
		t.Errorf("five blocks of NPB: %d launches", len(launches))
	}

	// Tables of IMB without its banner: a cell that occurs again is of another launch.
	imb := "# Benchmarking PingPong\n# #processes = 2\n#bytes #repetitions t[usec] Mbytes/sec\n0 1000 %d.00 0.00\n" +
		"# Benchmarking Barrier\n# #processes = %d\n#repetitions t_min[usec] t_max[usec] t_avg[usec]\n1000 1.00 3.00 2.00\n"
	if launches = all(t, fmt.Sprintf(imb, 1, 4)+fmt.Sprintf(imb, 2, 4), Given{}); len(launches) != 2 || len(launches[1].Points) != 2 {
		t.Errorf("two programs of IMB: %+v", launches)
	}
	if launches = all(t, fmt.Sprintf(imb, 1, 4), Given{}); len(launches) != 1 || len(launches[0].Points) != 2 {
		t.Errorf("one program of IMB: %+v", launches)
	}
}

// Every file of testdata, twice in one log, is twice the launches; the log of all files holds the
// launches of all.
func TestALogOfSeveralFormats(t *testing.T) {
	files := []string{
		"imb.log", "imb2019.log", "imbnbc.log", "osu.log", "osu7.log", "npb.log", "npb33.log", "perftest.log", "perftest4.log", "netpipe.log", "ucx.log", "fabric.log", "nccl.log", "points.jsonl.log",
	}
	given := Given{Ranks: 8}
	together, points := "", 0
	for _, file := range files {
		data, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		alone := all(t, string(data), given)
		twice := all(t, string(data)+string(data), given)
		want := 2 * len(alone)
		if file == "points.jsonl.log" { // which has no banner
			want = 1
		}
		if len(twice) != want {
			t.Errorf("%s twice: %d launches, want %d", file, len(twice), want)
		}
		together += string(data)
		points += len(Join(alone).Points)
	}
	launches := all(t, together, given)
	if got := len(Join(launches).Points); got != points {
		t.Errorf("%d points in the log of all programs, %d in their logs", got, points)
	}
}

// What cannot be read is left out with the number of its line, and ends neither the log nor its
// neighbours. Strict makes it an error.
func TestWhatCannotBeReadIsLeftOut(t *testing.T) {
	osu := "# OSU MPI Latency Test v5.9\n# Size          Latency (us)\n8    1.00\n"
	behind := "# OSU MPI Bandwidth Test v5.9\n# Size      Bandwidth (MB/s)\n8    2.00\n"
	for name, c := range map[string]struct {
		log    string
		points int
		want   string
	}{
		"a number after a table":      {osu + "0\n", 2, "line 4 is left out: the row has 1 column, its heading 2"},
		"nan":                         {osu + "16    nan\n32   -inf\n", 2, `line 4 is left out: "nan" is not a number`},
		"commas":                      {osu + "1,024    3.00\n", 2, `line 4 is left out: "1,024" is not a number`},
		"HPL with a comma":            {osu + "HPLinpack 2.3  --  High-Performance Linpack benchmark\nT/V                N    NB     P     Q               Time                 Gflops\nWC01R2R4      10000   128     2     2              15.00             8,6001e+01\nWC01R2R4      10000   128     2     2                nan        nan\n", 2, `"WC01R2R4 10000 128 2 2 15.00 8,6001e+01" is no row of HPL`},
		"what another program prints": {osu + "$ ulimit\n1024 4096\n16   3.00\n", 3, "line 5 is left out: other text precedes it, and its size does not follow those of the table"},
		"rows between warnings":       {osu + "WARNING: a\n16   3.00\n# a remark\n64  4.00\n4   1.00\n128  x\n256  6.00\n", 5, "line 8 is left out: other text precedes it"},
		"rows lost between them":      {osu + "[warn] 16 1.3\n[warn] 32 1.4\n64   1.50\n128   1.60\n256   1.70\n", 5, "imported from"},
		"a row before the first":      {strings.Replace(osu, "8 ", "[warn] foo\n1048576 4096\n8 ", 1) + "16   2.00\n", 3, "line 4 is left out: other text precedes it"},
		"a jump at the end":           {osu + "[warn] 16 1.3\n64   4096\n", 2, "line 5 is left out: other text precedes it"},
		"a smaller table":             {osu + "$ other\n1   4096\n2   4096\n4   4096\n16   2.00\n", 3, "lines 5, 6 and 7 are left out: other text precedes it"},
		"one row behind text":         {strings.Replace(osu, "8 ", "[warn] foo\n8 ", 1), 2, "imported from"},
		"numbers after IMB": {
			"# Benchmarking PingPong\n# #processes = 2\n#bytes #repetitions t[usec] Mbytes/sec\n0 1000 1.00 0.00\n# All processes entering MPI_Finalize\n16384 8000 4000 12\n", 2, "imported from",
		},
		"two of a kind":         {osu + "16\n32\n64   3.00\n", 3, "lines 4 and 5 are left out: the row has 1 column"},
		"a table without ranks": {osu + "# OSU MPI Allreduce Latency Test v5.9\n# Size       Avg Latency(us)\n4   1.00\n", 2, "line 6 is left out: OSU does not state the number of ranks of allreduce: add np"},
		"a row twice":           {osu + "8    7.00\n", 2, "line 4 is left out: the row repeats one of the same table"},
		"a program that ends": {
			osu + " NAS Parallel Benchmarks (NPB3.4-MZ-MPI) - LU-MZ MPI+OpenMP Benchmark\n Use the default load factors\n", 2,
			`line 4: "NAS Parallel Benchmarks (NPB3.4-MZ-MPI) - LU-MZ MPI+OpenMP Benchmark" has no results`,
		},
		"text after fi_pingpong": {
			"bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec\n64      10      =10      1.2k        0.00s     12.80       5.00       0.20\nserver done: 3 clients\n", 2, "",
		},
		"a row of zeros of perftest": {
			"                    Send BW Test\n #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n 2          5000             0.00               0.00               0.000000\n 4    5000  30.00 20.00 5.242880\n", 2,
			"line 3 is left out: no value is above 0",
		},
		"NaN of NPB": {
			osu + " CG Benchmark Completed.\n Class = S\n Time in seconds = 0.00\n Mop/s total = NaN\n Verification = SUCCESSFUL\n", 2, `line 4 is left out: the rate of cg is "NaN"`,
		},
		"sizes that IMB gave up": {
			"# Benchmarking Allgather\n# #processes = 4\n#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]\n8 1000 1.00 3.00 2.00\n1048576 out-of-mem.; needed X=   8.001 GB; use flag \"-mem 8.001\"\n2097152 time-out.; Time limit is over\n", 2,
			"line 5 is left out: IMB did not measure it: out-of-mem.; needed X= 8.001 GB",
		},
		"percentiles of OSU": {
			"# OSU MPI Latency Test v7.4\n# Size       Avg Latency(us)    P50 Tail Lat(us)    P99 Tail Lat(us)\n8  1.00  0.90  2.00\n", 2, "percentiles of OSU's option -z are left out",
		},
		"columns of IMB": {
			"# Benchmarking PingPong\n# #processes = 2\n#bytes #repetitions t[usec] Mbytes/sec p99[usec]\n0 1000 1.00 0.00 1.50\n", 2, "columns of IMB that are not known here are left out: p99[usec]",
		},
	} {
		launches, err := Import("x.log", []byte(c.log+behind), Given{})
		if got := len(Join(launches).Points); err != nil || got != c.points {
			t.Errorf("%s: %d points, want %d, error %v, warnings %s", name, got, c.points, err, said(launches))
		}
		if !strings.Contains(strings.Join(strings.Fields(said(launches)), " "), c.want) {
			t.Errorf("%s: no warning %q in\n%s", name, c.want, said(launches))
		}
	}
	_, err := Import("x.log", []byte(osu+"0\n"+behind), Given{Strict: true})
	if err == nil || !strings.HasPrefix(err.Error(), "x.log:4: the row has 1 column, its heading 2") {
		t.Errorf("strict: %v", err)
	}
}

// A number that no record can hold is refused with its line, also where no row needs it.
func TestNumbersBeyondRecords(t *testing.T) {
	const long = "99999999999999999999"
	for want, test := range map[string]string{
		"line 2 is left out: " + long: "# OSU MPI Bandwidth Test v5.9\n# [ pairs: " + long + " ]\n# Size          Latency (us)\n8    1.00\n",
		"line 4 is left out: " + long: "sockperf: == version #3.10 ==\nsockperf: [Valid Duration] RunTime=1.00 sec; SentMessages=10; ReceivedMessages=10\nsockperf: ====> avg-latency=2.5\nsockperf: # dropped messages = " + long + "; # duplicated messages = 0; # out-of-order messages = 0\n",
	} {
		if _, err := Import("x.log", []byte(test), Given{Strict: true}); err == nil || !strings.HasPrefix(err.Error(), "x.log:"+want[len("line "):len("line ")+1]+": "+long) {
			t.Errorf("strict: %v", err)
		}
		launches, err := Import("x.log", []byte(test), Given{})
		if all := said(launches) + fmt.Sprint(err); !strings.Contains(all, want) {
			t.Errorf("no warning %q in\n%s", want, all)
		}
	}
}

// A test that is not known is left out like a row that cannot be read. Of a program that the caller
// ran it is left out with Strict, too.
func TestTestsThatAreNotKnown(t *testing.T) {
	for name, test := range map[string]string{
		"OSU": "# OSU MPI Foo Latency Test v5.9\n# Size          Latency (us)\n8    1.00\n# OSU MPI Latency Test v5.9\n# Size          Latency (us)\n8    1.00\n",
		"IMB": "# Benchmarking Foo\n#bytes #repetitions t[usec]\n8 10 1.00\n# Benchmarking PingPong\n#bytes #repetitions t[usec]\n8 10 1.00\n",
	} {
		if launches := all(t, test, Given{Ranks: 2}); len(Join(launches).Points) != 1 || !strings.Contains(said(launches), "line 3 is left out: ") {
			t.Errorf("%s: %s", name, said(launches))
		}
		if _, err := Import("x.log", []byte(test), Given{Ranks: 2, Strict: true}); err == nil || !strings.HasPrefix(err.Error(), "x.log:3: ") {
			t.Errorf("%s, strict: %v", name, err)
		}
		if launches := all(t, test, Given{Ranks: 2, Strict: true, Ran: true}); len(Join(launches).Points) != 1 {
			t.Errorf("%s: %s", name, said(launches))
		}
	}
}

// A log that holds no results says why.
func TestALogWithoutResultsSaysWhy(t *testing.T) {
	for log, want := range map[string]string{
		"# OSU MPI Foo Latency Test v5.9\n# Size          Latency (us)\n8    1.00\n": "line 3 is left out: OSU's MPI Foo Latency test is not known here",
		"{\n \"global options\": {\n }\n}\n":                                         "line 1: the JSON object is of no known program",
		"{\n \"global options\": {\n":                                                "line 1: a JSON object begins that does not end",
	} {
		if _, err := Import("x.log", []byte(log), Given{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", log, err, want)
		}
	}
}

// The date comes from the log. A log without one gives points without a time.
func TestTheDateIsThatOfTheLog(t *testing.T) {
	osu := "# OSU MPI Latency Test v5.9\n# Size          Latency (us)\n8    1.00\n"
	stamped := ""
	for l := range strings.Lines(osu) {
		stamped += "Mon Oct 15 15:04:29 2018[1,0]<stdout>:" + l
	}
	for name, c := range map[string]struct {
		log  string
		want time.Time
	}{
		"none":                  {osu, time.Time{}},
		"IMB":                   {"#    Intel(R) MPI Benchmarks 2019 Update 3, MPI-1 part\n# Date                  : Sun Jun  9 10:46:49 2019\n# Benchmarking PingPong\n# #processes = 2\n#bytes #repetitions t[usec] Mbytes/sec\n0 1000 1.00 0.00\n", time.Date(2019, 6, 9, 10, 46, 49, 0, time.UTC)},
		"a zone of two digits":  {"2019-06-09 12:46:49+02\n" + osu, time.Date(2019, 6, 9, 10, 46, 49, 0, time.UTC)},
		"a zone behind a blank": {"2019-06-09 12:46:49 +0200\n" + osu, time.Date(2019, 6, 9, 10, 46, 49, 0, time.UTC)},
		"date with -03":         {"Sun Jun  9 07:46:49 -03 2019\n" + osu, time.Date(2019, 6, 9, 10, 46, 49, 0, time.UTC)},
		"the day first":         {"Sun 09 Jun 2019 12:46:49 PM +02:00\n" + osu, time.Date(2019, 6, 9, 10, 46, 49, 0, time.UTC)},
		"a name of a zone":      {"2019-06-09 10:46:49 CEST\n" + osu, time.Date(2019, 6, 9, 10, 46, 49, 0, time.UTC)},
		"another":               {"Sun Jun  9 10:46:49 EST 2019\n" + osu, time.Date(2019, 6, 9, 10, 46, 49, 0, time.UTC)},
		"a name behind PM":      {"Sun 09 Jun 2019 10:46:49 AM NZST\n" + osu, time.Date(2019, 6, 9, 10, 46, 49, 0, time.UTC)},
		"a rare name":           {"Job started: 2019-06-09 10:46:49 BRT\n" + osu, time.Date(2019, 6, 9, 10, 46, 49, 0, time.UTC)},
		"two digits at the end": {"2019-06-09 12:46:49 +02\n" + osu, time.Date(2019, 6, 9, 10, 46, 49, 0, time.UTC)},
		"a number of a logger":  {"2019-06-09 10:46:49 -10 us skew\n" + osu, time.Date(2019, 6, 9, 10, 46, 49, 0, time.UTC)},
		"hours and minutes":     {"2019-06-09 12:46:49 +02:00 begin\n" + osu, time.Date(2019, 6, 9, 10, 46, 49, 0, time.UTC)},
		"a word":                {"2019-06-09 10:46:49 INFO begin\n" + osu, time.Date(2019, 6, 9, 10, 46, 49, 0, time.UTC)},
		"date":                  {"Sun Jun  9 10:46:49 UTC 2019\n" + osu, time.Date(2019, 6, 9, 10, 46, 49, 0, time.UTC)},
		"date of an offset":     {"Job started: 2019-06-09T10:46:49+0200\n" + osu, time.Date(2019, 6, 9, 8, 46, 49, 0, time.UTC)},
		"date, twelve hours":    {"Sun 09 Jun 2019 10:46:49 PM CEST\n" + osu, time.Date(2019, 6, 9, 22, 46, 49, 0, time.UTC)},
		"time stamps":           {stamped, time.Date(2018, 10, 15, 15, 4, 29, 0, time.UTC)},
		"a date in a sentence":  {"libfoo was compiled on Sun Jun  9 10:46:49 2019 by root\n" + osu, time.Time{}},
	} {
		launches := all(t, c.log, Given{})
		if got := launches[0].Points[0].Time; !got.Equal(c.want) || !launches[0].Run.Time.Equal(c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		named := slices.ContainsFunc([]string{"CEST", "EST ", "NZST", "BRT"}, func(zone string) bool { return strings.Contains(c.log, zone) })
		if warned := strings.Contains(said(launches), "is taken as UTC"); named != warned {
			t.Errorf("%s: %s", name, said(launches))
		}
	}
	// A row of a program may state its own time.
	row := `{"kind":"point","bench":"x","ranks":2,"time":"2024-05-01T12:00:00Z","t_s":{"median":1,"n":1}}` + "\n"
	if got := all(t, row, Given{Time: testTime})[0].Points[0].Time; got.Year() != 2024 {
		t.Errorf("time of a row: %v", got)
	}
}

// Lines of the library at its start name it. They win over a name that contradicts them.
func TestTheLibraryIsThatOfTheLog(t *testing.T) {
	osu := "# OSU MPI Latency Test v5.9\n# Size          Latency (us)\n8    1.00\n"
	intel := "[0] MPI startup(): Intel(R) MPI Library, Version 2019 Update 3  Build 20190214 (id: b645a4a54)\n"
	for name, c := range map[string]struct {
		log, flag string
		want      []string
	}{
		"nothing":                    {osu, "", []string{"OSU"}},
		"a flag":                     {osu, "MPICH 4", []string{"MPICH 4"}},
		"Intel MPI":                  {intel + osu, "", []string{"Intel MPI 2019 Update 3"}},
		"of one program":             {intel + osu + osu, "", []string{"Intel MPI 2019 Update 3", "OSU"}},
		"of another":                 {intel + osu + strings.Replace(intel, "2019 Update 3 ", "2021.9", 1) + osu, "", []string{"Intel MPI 2019 Update 3", "Intel MPI 2021.9"}},
		"a flag that contradicts it": {intel + osu, "Open MPI", []string{"Intel MPI 2019 Update 3"}},
		"a flag that says more":      {intel + osu, "Intel MPI 2019 Update 3, shm", []string{"Intel MPI 2019 Update 3, shm"}},
		"mpirun --version":           {"mpirun (Open MPI) 4.1.4\n" + osu + osu, "", []string{"Open MPI 4.1.4", "Open MPI 4.1.4"}},
		"MVAPICH2":                   {" MVAPICH2-2.3.6 Parameters\n" + osu, "", []string{"MVAPICH2 2.3.6"}},
		"Open MPI":                   {"Open MPI v4.0.3, package: Debian OpenMPI\n" + osu, "", []string{"Open MPI 4.0.3"}},
	} {
		var got []string
		for _, l := range all(t, c.log, Given{Library: c.flag}) {
			got = append(got, l.Points[0].Library)
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	nccl := "# nThread 1 nGpus 1 warmup iters: 5 iters: 20 agg iters: 1\n#  Rank  0 Group  0\nNCCL version 2.18.3+cuda12.2\n# size count type redop root time algbw busbw #wrong\n 8 2 float sum -1 27.21 0 0 0\n"
	if got := all(t, nccl, Given{Bench: "allreduce"})[0].Points[0].Library; got != "NCCL 2.18.3+cuda12.2" {
		t.Errorf("NCCL: %q", got)
	}
	coded := strings.Replace(nccl, "# nThread", "# nccl-tests version 2.17.6 nccl-headers=22807 nccl-library=22807\n# nThread", 1)
	if got := all(t, strings.Replace(coded, "NCCL version 2.18.3+cuda12.2\n", "", 1), Given{Bench: "allreduce"})[0].Points[0].Library; got != "NCCL 2.28.7" {
		t.Errorf("NCCL: %q", got)
	}
}

// A flag gives what a log does not state, and nothing else.
func TestWhatTheLogStatesWins(t *testing.T) {
	imb := "# Benchmarking Allreduce\n# #processes = 2\n#bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n8 1000 1.10 1.30 1.20\n"
	osu := "# OSU MPI Latency Test v5.9\n# Size          Latency (us)\n8    1.00\n"
	for name, c := range map[string]struct {
		log  string
		want int
	}{
		"IMB":                  {imb, 2},
		"IMB without the line": {strings.Replace(imb, "# #processes = 2\n", "", 1), 16},
		"osu_latency":          {osu, 2},
		"osu_bibw":             {"# OSU MPI Bi-Directional Bandwidth Test v5.9\n# Size      Bandwidth (MB/s)\n8    2.00\n", 2},
		"osu_mbw_mr":           {"# OSU MPI Multiple Bandwidth / Message Rate Test v5.9\n# [ pairs: 4 ] [ window size: 64 ]\n# Size  MB/s  Messages/s\n1  1.00  1000000.00\n", 8},
		"osu_allreduce":        {"# OSU MPI Allreduce Latency Test v5.9\n# Size       Avg Latency(us)\n4   1.00\n", 16},
		"perftest":             {"   Send Latency Test\n #bytes #iterations t_min[usec] t_max[usec] t_typical[usec]\n 8 1000 1.00 3.00 2.00\n", 2},
		"NPB":                  {" CG Benchmark Completed.\n Class = A\n Time in seconds = 1.00\n Total processes = 4\n Mop/s total = 1.00\n Verification = SUCCESSFUL\n", 4},
		"nccl-tests":           {"# nThread 1 nGpus 1 iters: 20 validation: 1\n#  Rank  0 Group  0\n#  Rank  1 Group  0\n# size count type redop time algbw busbw error\n 8 2 float sum 27.21 0 0 0\n", 2},
	} {
		launches := all(t, c.log, Given{Ranks: 16, Bench: "allreduce"})
		if got := launches[0].Points[0].Ranks; got != c.want {
			t.Errorf("%s: %d ranks, want %d", name, got, c.want)
		}
		if got := launches[0].Run.Job.Ranks; got != c.want {
			t.Errorf("%s: a job of %d ranks, want %d", name, got, c.want)
		}
	}
	named := "# Collective test starting: all_gather_perf\n# nThread 1 nGpus 1 iters: 20 validation: 1\n#  Rank  0 Group  0\n# size count type redop time algbw busbw error\n 8 2 float sum 27.21 0 0 0\n"
	if got := all(t, named, Given{Bench: "allreduce"})[0].Points[0].Bench; got != "allgather" {
		t.Errorf("the log names all_gather: %s", got)
	}
}

// Hosts that the command of a launcher or the ranks of nccl-tests name are the hosts of the run.
func TestTheHostsOfALaunch(t *testing.T) {
	osu := "# OSU MPI Latency Test v5.9\n# Size          Latency (us)\n8    1.00\n"
	nccl := "# nThread 1 nGpus 1 iters: 20 validation: 1\n#  Rank  0 Pid 1 on node1 device  0 [0x07]\n#  Rank  1 Pid 1 on node2 device  0 [0x07]\n# size count type redop time algbw busbw error\n 8 2 float sum 27.21 0 0 0\n"
	for name, c := range map[string]struct{ log, want string }{
		"mpirun":     {"+ mpirun -np 2 --host node1:1,node2:1 ./osu_latency\n" + osu, "[[node1 node2]]"},
		"srun":       {"+ srun -n 2 -w node7,node8 ./osu_latency\n" + osu + "+ srun -n 2 -w node7,node9 ./osu_latency\n" + osu + osu, "[[node7 node8] [node7 node9] []]"},
		"a variable": {"mpirun -np 2 --host $A,$B ./osu_latency\n" + osu, "[[]]"},
		"nccl-tests": {nccl, "[[node1 node2]]"},
	} {
		var got [][]string
		for _, l := range all(t, c.log, Given{Bench: "allreduce"}) {
			var hosts []string
			for _, h := range l.Run.Hosts {
				hosts = append(hosts, h.(map[string]any)["hostname"].(string))
			}
			got = append(got, hosts)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s: hosts %v, want %s", name, got, c.want)
		}
	}
}

// A command that hyperfine measured twice is two launches.
func TestACommandTwiceInOneFile(t *testing.T) {
	result := `{"command":"sort x","mean":%g,"median":%[1]g,"user":0,"system":0,"min":%[1]g,"max":%[1]g,"times":[%[1]g],"exit_codes":[0]}`
	launches := all(t, `{"results":[`+fmt.Sprintf(result, 0.25)+","+fmt.Sprintf(result, 0.5)+"]}\n", Given{})
	scanned := strings.Replace(`{"results":[`+fmt.Sprintf(result, 0.25)+","+fmt.Sprintf(result, 0.5)+"]}\n", `"exit_codes":[0]`, `"exit_codes":[0],"parameters":{"j":"2"}`, 1)
	if other := all(t, scanned, Given{}); len(other) != 1 || len(other[0].Points) != 2 || other[0].Points[0].Options["j"] != "2" {
		t.Errorf("with a parameter: %+v", other)
	}
	if len(launches) != 2 || launches[1].Points[0].Metrics.Median("run_s") != 0.5 || launches[0].Run.ID == launches[1].Run.ID || launches[0].Run.Series != launches[1].Run.Series {
		t.Errorf("%+v", launches)
	}
}

// The start that HPL prints below a row is its time.
func TestTheStartOfHPL(t *testing.T) {
	log := "HPLinpack 2.3  --  High-Performance Linpack benchmark  --   December 2, 2018\nT/V                N    NB     P     Q               Time                 Gflops\n" +
		"WR11C2R4        5000   128     1     2               2.50              3.334e+01\nHPL_pdgesv() start time Sat Mar  7 08:15:30 2026\n\n" +
		"WR11C2R4        6000   128     1     2               4.50              3.200e+01\nHPL_pdgesv() start time Sat Mar  7 08:16:40 2026\n"
	got := all(t, log, Given{})[0]
	first := time.Date(2026, 3, 7, 8, 15, 30, 0, time.UTC)
	if len(got.Points) != 2 || !got.Run.Time.Equal(first) || !got.Points[0].Time.Equal(first) || !got.Points[1].Time.Equal(first.Add(70*time.Second)) {
		t.Errorf("%v, %+v", got.Run.Time, got.Points)
	}
	if p := points(t, log, Given{Time: testTime})[1]; !p.Time.Equal(testTime) {
		t.Errorf("time %v beside one that is given", p.Time)
	}
}

// Values of zero and wrong data name their lines, and the tables of iperf3 the option for JSON.
func TestWarningsNameTheirLines(t *testing.T) {
	head := "# OSU MPI Latency Test v7.4\n# Size       Avg Latency(us)        Validation\n"
	imb := "# Benchmarking PingPong\n# #processes = 2\n#bytes #repetitions t[usec] Mbytes/sec defects\n"
	for log, want := range map[string]string{
		head + "1   0.00   Pass\n2   1.50   Pass\n":                               "line 3 is left out: the time is printed as 0.00",
		head + "1   1.25   Fail\n2   1.50   Pass\n":                               "line 3 is left out: its data were wrong",
		imb + "0 10 0.00 0.00 0.00\n8 10 2.00 4.00 0.00\n":                        "line 4 is left out: the time is printed as 0.00",
		imb + "0 10 1.00 0.00 1.00\n8 10 2.00 4.00 0.00\n":                        "line 4 is left out: its data were wrong",
		head + "1   1.25   Pass\n[ ID] Interval           Transfer     Bitrate\n": "line 4: the tables of iperf3 are not read: run iperf3 with -J",
	} {
		if warnings := said(all(t, log, Given{})); !strings.Contains(warnings, want) {
			t.Errorf("%q: %s", want, warnings)
		}
	}
	_, err := Import("x.log", []byte("Connecting to host 10.0.0.2, port 5201\n[ ID] Interval           Transfer     Bitrate\n"), Given{})
	if err == nil || !strings.Contains(err.Error(), "line 2: the tables of iperf3 are not read: run iperf3 with -J") {
		t.Errorf("%v", err)
	}
}

// An array of JSON objects, on lines of their own or on one, is a launch for each.
func TestArraysOfJSON(t *testing.T) {
	object := func(when, rate string) string {
		return `{"start":{"version":"iperf 3.16","timestamp":{"timesecs":` + when + `},"test_start":{"protocol":"TCP","num_streams":1,"blksize":131072}},"end":{"sum_received":{"bits_per_second":` + rate + `}}}`
	}
	a, b := object("1710235501", "8e6"), object("1710235601", "16e6")
	for name, log := range map[string]string{
		"lines":  "[\n" + a + ",\n" + b + "\n]\n",
		"indent": "[\n  {\n" + a[1:] + ",\n  {\n" + b[1:] + "\n]\n",
		"one":    "[" + a + "," + b + "]\n",
		"space":  "[ " + a + " , " + b + " ]\n",
	} {
		launches, err := Import("x.json", []byte(log), Given{})
		if err != nil || len(launches) != 2 {
			t.Errorf("%s: %d launches, error %v", name, len(launches), err)
			continue
		}
		for i, want := range []float64{1e6, 2e6} {
			if got := launches[i].Points[0].Metrics.Median("bandwidth_Bps"); got != want {
				t.Errorf("%s: launch %d has %v B/s, want %v", name, i, got, want)
			}
		}
		if launches[0].Run.ID == launches[1].Run.ID {
			t.Errorf("%s: both launches have one ID", name)
		}
	}
}

// A launch has one result of a cell, also of a program that prints each sample in a row, and of a
// script that runs a program several times.
func TestResultsOfOneCellAreCombined(t *testing.T) {
	row := func(size, us int) string {
		return fmt.Sprintf(`{"kind":"point","bench":"pingpong","size_B":%d,"ranks":2,"half_rtt_s":{"median":%de-6,"n":1}}`+"\n", size, us)
	}
	osu := func(us int) string {
		return fmt.Sprintf("# OSU MPI Latency Test v5.9\n# Size          Latency (us)\n8    %d.00\n16   4.00\n\n", us)
	}
	for name, log := range map[string]string{
		"rows":   row(8, 9) + row(16, 4) + row(8, 1) + row(8, 2) + row(8, 8),
		"script": osu(9) + osu(1) + osu(2) + osu(8),
	} {
		launches := all(t, log, Given{})
		joined := launches[0]
		if name == "script" {
			joined = Join(launches)
		}
		p := joined.Points
		if len(p) != 2 || p[0].Size != 8 || !near(p[0].Metrics.Median("half_rtt_s"), 4e-6) || p[0].Metrics.Get("half_rtt_s").N != 4 || !near(p[1].Metrics.Median("half_rtt_s"), 4e-6) {
			t.Errorf("%s: %+v", name, p)
		}
		if w := strings.Join(joined.Run.Warnings, "\n"); !strings.Contains(w, "repeat cells of their launch") {
			t.Errorf("%s: %s", name, w)
		}
	}
}
