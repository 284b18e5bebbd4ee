package importer

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gobench/record"
)

// summary describes a point in one line: what separates its cell, and its values, of which those of
// a median are n, min, percentiles and max.
func summary(p *record.Point) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s %d B x%d", p.Bench, p.Transport, p.Level, p.Size, p.Ranks)
	for _, f := range []string{"class", "threads", "window", "options", "start", "in_place", "algorithm", "operation", "service", "qps", "memory_kind", "datatype", "reduction"} {
		if value := record.LookupFactor(f).Text(p); value != "" {
			fmt.Fprintf(&b, " %s=%s", f, value)
		}
	}
	for _, key := range slices.Sorted(p.Metrics.Keys()) {
		v := p.Metrics.Get(key)
		fmt.Fprintf(&b, " | %s %.6g", key, v.Median)
		if v.Statistic != "" {
			b.WriteString(" " + v.Statistic)
		}
		if v.N > 1 {
			fmt.Fprintf(&b, " n=%d", v.N)
		}
		for _, x := range []struct {
			name  string
			value float64
		}{{"mean", v.Mean}, {"min", v.Min}, {"p90", v.P90}, {"p99", v.P99}, {"p999", v.P999}, {"max", v.Max}} {
			if x.value != 0 {
				fmt.Fprintf(&b, " %s=%.6g", x.name, x.value)
			}
		}
	}
	for _, w := range p.Warnings {
		b.WriteString(" | " + w)
	}
	return b.String()
}

// Each launch of a log of testdata, after its warnings, which have a "!".
func TestProgramsAsTheyPrint(t *testing.T) {
	for file, want := range map[string]string{
		"sockperf.log": `
			loaded_lat tcp raw 200 B x2 options=mps=20000 | half_rtt_s 1.35e-05 n=1910 mean=1.425e-05 min=9.125e-06 p90=1.875e-05 p99=3.125e-05 p999=6.0125e-05 max=7.15e-05
			pingpong udp raw 64 B x2 | half_rtt_s 1.025e-05 n=450000 mean=1.05e-05 min=8.75e-06 p90=1.225e-05 p99=1.675e-05 p999=3.075e-05 max=0.000205 | 2 messages were lost
			uniband udp raw 1000 B x2 | bandwidth_Bps 5e+08 mean | message_rate_per_s 500000 mean`,
		"netperf.log": `
			pingpong tcp raw 1 B x2 | half_rtt_s 2e-05 mean | rtt_s 4e-05 mean
			request_response udp raw 64 B x2 options=answer=256 | rtt_s 5e-05 mean
			request_response tcp raw 1 B x2 options=answer=1 burst=16 | message_rate_per_s 312500 mean
			uniband tcp raw 16384 B x2 | bandwidth_Bps 1.175e+09 mean
			uniband tcp raw 65536 B x2 options=direction=reverse | bandwidth_Bps 1.07374e+09 mean
			uniband udp raw 1472 B x2 | bandwidth_Bps 1.104e+09 mean | 500000 of 8000000 messages were lost
			! line 57 is left out: TCP Connect/Request/Response of netperf: a transaction has a connection of its own`,
		"netperfomni.log": `
			pingpong unknown raw 8 B x2 | half_rtt_s 1.25e-05 mean | rtt_s 2.5e-05 mean
			uniband tcp raw 65536 B x2 | bandwidth_Bps 1.152e+09 mean
			pingpong tcp raw 32 B x2 | half_rtt_s 1.225e-05 mean | rtt_s 2.45e-05 mean
			pingpong tcp raw 16 B x2 | half_rtt_s 7e-06 n=625000 mean=7.95e-06 min=6e-06 p90=8.5e-06 p99=2e-05 max=0.0045 | rtt_s 1.4e-05 n=625000 mean=1.59e-05 min=1.2e-05 p90=1.7e-05 p99=4e-05 max=0.009
			! line 32 is left out: the log does not state the size of netperf's messages: add size`,
		"iperf3.log": `
			uniband tcp raw 131072 B x2 options=congestion=cubic | bandwidth_Bps 1.1765e+09 mean
			uniband tcp raw 131072 B x2 options=congestion=bbr direction=reverse streams=4 | bandwidth_Bps 1.175e+09 mean
			biband tcp raw 131072 B x2 options=congestion=cubic | bandwidth_Bps 1.7475e+09 mean
			uniband udp raw 1448 B x2 options=bitrate=1000000000 | bandwidth_Bps 1.24994e+08 mean | 40 of 863259 datagrams were lost
			uniband tcp raw 4096 B x2 options=congestion=cubic | bandwidth_Bps 5.1125e+08 mean
			! line 222 is left out: iperf3 failed: control socket has closed unexpectedly`,
		"fabtests.log": `
			pingpong unknown raw 64 B x2 options=provider=tcp | bandwidth_Bps 1.164e+07 mean | half_rtt_s 5.49828e-06 mean
			pingpong unknown raw 65536 B x2 options=provider=tcp | bandwidth_Bps 4.68114e+09 mean | half_rtt_s 1.4e-05 mean
			uniband unknown raw 64 B x2 | bandwidth_Bps 6.4e+07 mean | message_rate_per_s 1e+06 mean
			get_bw unknown raw 4096 B x2 options=provider=verbs | bandwidth_Bps 5.12e+09 mean | message_rate_per_s 1.25e+06 mean
			! the log does not name the program of fabtests: it is taken for uniband, by the number of transfers in an iteration (bench says otherwise)`,
		"hpl.log": `
			hpl unknown comm 0 B x2 class=N=1000 NB=192 1x2 WR11C2R4 | mops 25600
			hpl unknown comm 0 B x4 class=N=8000 NB=192 2x2 WR11C2R4 | mops 106700 | run_s 3.2
			hpl unknown comm 0 B x4 class=N=92160 NB=1024 2x2 WC0 | mops 4.175e+07 | run_s 12.5 | the result was not checked
			! line 34 is left out: the result failed the check of its residual`,
		"stream.log": `
			stream_copy none raw 160000000 B x1 threads=4 | bandwidth_Bps 3.20005e+10 best | t_s 0.00999984 best mean=0.01025 max=0.011
			stream_scale none raw 160000000 B x1 threads=4 | bandwidth_Bps 2.13331e+10 best | t_s 0.0150002 best mean=0.01525 max=0.016
			stream_add none raw 160000000 B x1 threads=4 | bandwidth_Bps 2.40002e+10 best | t_s 0.0199998 best mean=0.02025 max=0.021
			stream_triad none raw 160000000 B x1 threads=4 | bandwidth_Bps 2.39991e+10 best | t_s 0.0200008 best mean=0.02025 max=0.021
			stream_copy none raw 16000000 B x1 threads=2 | bandwidth_Bps 1.6e+10 best | t_s 0.002 best mean=0.0021 max=0.0022
			stream_triad none raw 16000000 B x1 threads=2 | bandwidth_Bps 1.5e+10 best | t_s 0.0032 best mean=0.0033 max=0.0034
			stream_copy none raw 640000000 B x4 threads=2 | bandwidth_Bps 1.28e+11 best | t_s 0.01 best mean=0.0105 max=0.011 | the result was not checked
			! lines 81 and 82 are left out: the arrays did not validate`,
		"imbremote.log": `
			window unknown comm 4 B x4 options=epoch=fence | average_s 2.025e-05 mean of ranks | fastest_s 2.01e-05 mean | t_s 2.05e-05 mean
			put_uniband unknown comm 0 B x2 window=100 options=epoch=fence | message_rate_per_s 5e+07 mean
			put_uniband unknown comm 4096 B x2 window=1000 options=epoch=fence | bandwidth_Bps 8.192e+09 mean | message_rate_per_s 2e+06 mean
			put unknown comm 4096 B x2 options=epoch=fence | bandwidth_Bps 1.6384e+09 mean | t_s 2.5e-06 mean
			get unknown comm 4096 B x2 options=epoch=flush | bandwidth_Bps 2.048e+09 mean | t_s 2e-06 mean
			one_put_all unknown comm 4096 B x4 options=epoch=flush | bandwidth_Bps 3.072e+09 mean | t_s 4e-06 mean
			all_put_all unknown comm 4096 B x4 options=epoch=flush | average_s 6.25e-06 mean of ranks | fastest_s 6e-06 mean | t_s 6.5e-06 mean
			fetch_and_op unknown comm 4 B x2 window=1000 options=epoch=flush | bandwidth_Bps 3.2e+06 mean | t_s 1.25e-06 mean
			truly_passive_put unknown comm 4096 B x2 options=epoch=flush | overlapped_s 3.05e-05 mean | pure_s 2.5e-06 mean
			pingpong unknown comm 1024 B x2 threads=4 | average_s 1.95e-06 mean of ranks | bandwidth_Bps 2.048e+09 mean | fastest_s 1.9e-06 mean | half_rtt_s 2e-06 mean
			uniband unknown comm 1024 B x2 threads=4 window=32 | bandwidth_Bps 3.6e+10 mean | message_rate_per_s 4e+07 mean
			allreduce unknown comm 1024 B x4 threads=2 | average_s 9e-06 mean of ranks | fastest_s 8.5e-06 mean | local_s 9.5e-06 mean
			! times are computed from the bandwidth where that is printed with more digits
			! line 87 is left out: the size is no multiple of the number of threads`,
		"osuthreads.log": `
			pingpong_turns unknown comm 8 B x2 threads=4 datatype=char | bandwidth_Bps 3.2e+06 mean | half_rtt_s 2.5e-06 mean
			pingpong_mp unknown comm 0 B x2 options=receiver=2 sender=2 | half_rtt_s 2.5e-07 mean
			pingpong_mp unknown comm 8 B x2 options=receiver=2 sender=2 | bandwidth_Bps 1.6e+07 mean | half_rtt_s 5e-07 mean
			pingpong_mt unknown comm 8 B x2 options=sender=1 | bandwidth_Bps 2.28571e+06 mean | half_rtt_s 3.5e-06 mean`,
		"ucxold.log": `
			pingpong unknown device 8 B x2 operation=tag | half_rtt_s 1.2e-06 n=1000000`,
		"nccliter.log": `
			allreduce unknown comm 1024 B x2 start=none datatype=float reduction=sum | busbw_Bps 1e+08 mean of ranks | local_s 1.025e-05 mean of ranks n=200 min=9.5e-06 p99=1.825e-05 max=2.05e-05
			allreduce unknown comm 1024 B x2 start=none in_place=true datatype=float reduction=sum | busbw_Bps 1e+08 mean of ranks | local_s 1.05e-05 mean of ranks n=200 min=9.75e-06 p99=1.925e-05 max=2.15e-05
			allreduce unknown comm 2048 B x2 start=none datatype=float reduction=sum | busbw_Bps 1.6e+08 mean of ranks | local_s 1.25e-05 mean of ranks n=200 min=1.15e-05 p99=2.025e-05 max=2.25e-05
			allreduce unknown comm 2048 B x2 start=none in_place=true datatype=float reduction=sum | busbw_Bps 1.6e+08 mean of ranks | local_s 1.275e-05 mean of ranks n=200 min=1.175e-05 p99=2.125e-05 max=2.35e-05
			sendrecv unknown comm 4096 B x2 datatype=float | bandwidth_Bps 1.024e+09 mean of ranks | busbw_Bps 5.1e+08 mean of ranks | t_s 8e-06 mean of ranks
			sendrecv unknown comm 4096 B x2 in_place=true datatype=float | bandwidth_Bps 9.63765e+08 mean of ranks | busbw_Bps 4.8e+08 mean of ranks | t_s 8.5e-06 mean of ranks
			alltoallv unknown comm 4096 B x2 start=none datatype=float | busbw_Bps 2e+08 mean of ranks
			! line 39 is left out: the time is that of the calls on the CPU (-C), and the bandwidth is printed as 0`,
		"nccljson.log": `
			allgather unknown comm 2048 B x4 start=none datatype=float | busbw_Bps 3.03e+08 mean of ranks | local_s 2e-05 n=100 mean=2.05e-05 min=1.85e-05 p99=3.95e-05 max=4.05e-05
			allgather unknown comm 2048 B x4 start=none in_place=true datatype=float | busbw_Bps 2.89e+08 mean of ranks | local_s 2.1e-05 n=100 mean=2.15e-05 min=1.95e-05 p99=4.05e-05 max=4.15e-05
			allgather unknown comm 4096 B x4 start=none in_place=true datatype=float | busbw_Bps 4.03e+08 mean of ranks | local_s 3.05e-05 mean of ranks
			allgather unknown comm 8192 B x4 start=none in_place=true datatype=float | busbw_Bps 1.875e+09 mean of ranks
			! line 2 is left out: the data of allgather of 32768 B were wrong`,
		"perftest.json.log": `
			put_bw ibv raw 65536 B x2 window=128 operation=rdma-write service=RC qps=4 | bandwidth_Bps 2.3593e+10 mean | message_rate_per_s 360000 mean
			biband ibv raw 2048 B x2 window=64 operation=send service=UD memory_kind=cuda | bandwidth_Bps 2.3593e+10 mean | message_rate_per_s 1.152e+07 mean
			get_lat ibv raw 64 B x2 operation=rdma-read service=RC | t_s 2e-06 n=1000 mean=2.05e-06 min=1.9e-06 p99=2.5e-06 p999=8.5e-06 max=9.5e-06
			! line 63 is left out: the results do not state the size of the messages`,
		"hyperfine.json": `
			sort --parallel=2 big unknown comm 0 B x1 | run_s 0.5105 n=4 mean=0.5125 min=0.5005 max=0.5315
			sort ` + "\ufffd" + `[31mbig unknown comm 0 B x1 | run_s 1.25 mean=1.25 min=1.25 max=1.25
			! line 42 is left out: runs of "false" failed`,
		"gobench.txt": `
			Push unknown comm 1024 B x1 class=example.org/queue threads=4 | bandwidth_Bps 9.75238e+08 n=2 | t_s 1.05e-06 n=2
			Pop/size=8 unknown comm 0 B x1 class=example.org/queue threads=4 | t_s 2.505e-07 mean
			Sort unknown comm 0 B x1 class=example.org/sorted | t_s 0.012 mean
			! values of go test -bench in B/op are left out: they are no time and no rate
			! values of go test -bench in allocs/op are left out: they are no time and no rate`,
	} {
		t.Run(file, func(t *testing.T) { compareSummaries(t, file, want) })
	}
}

// compareSummaries compares the points of a file and the warnings of its launches.
func compareSummaries(t *testing.T, file, want string) {
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	launches, err := Import(file, data, Given{})
	if err != nil {
		t.Fatal(err)
	}
	var got, warnings []string
	for _, l := range launches {
		for i := range l.Points {
			got = append(got, summary(&l.Points[i]))
		}
		for _, w := range l.Run.Warnings {
			if w = "! " + w; !strings.HasPrefix(w, "! imported from") && !slices.Contains(warnings, w) {
				warnings = append(warnings, w)
			}
		}
	}
	got = append(got, warnings...)
	var expected []string
	for line := range strings.Lines(strings.TrimSpace(want)) {
		expected = append(expected, strings.TrimSpace(line))
	}
	for i := range max(len(got), len(expected)) {
		switch {
		case i >= len(got):
			t.Errorf("missing  %s", expected[i])
		case i >= len(expected):
			t.Errorf("too much %s", got[i])
		case got[i] != expected[i]:
			t.Errorf("\ngot  %s\nwant %s", got[i], expected[i])
		}
	}
}

// The output of a client of ucx_perftest alone does not name the test; its size follows from the
// bandwidth and the rate of messages.
func TestAClientOfUCXAlone(t *testing.T) {
	const log = `
+--------------+-----------------------------+---------------------+-----------------------+
|              |       overhead (usec)       |   bandwidth (MB/s)  |  message rate (msg/s) |
+--------------+---------+---------+---------+----------+----------+-----------+-----------+
| # iterations | typical | average | overall |  average |  overall |   average |   overall |
+--------------+---------+---------+---------+----------+----------+-----------+-----------+
        100000     0.500     0.620     0.625    9830.40  10000.00      157286      160000
`
	for bench, want := range map[string]string{
		"uniband": "uniband unknown raw 65536 B x2 | bandwidth_Bps 1.04858e+10 mean | message_rate_per_s 160000 mean",
		"put_bw":  "put_bw unknown raw 65536 B x2 operation=put | bandwidth_Bps 1.04858e+10 mean | message_rate_per_s 160000 mean",
		"put_lat": "", // the table is one of a bandwidth
		"":        "",
	} {
		_, points, err := imported("x", []byte(log), Given{Bench: bench})
		switch {
		case want == "" && (err == nil || !strings.Contains(err.Error(), "with bench")):
			t.Errorf("%q: %v", bench, err)
		case want != "" && (err != nil || len(points) != 1 || summary(&points[0]) != want):
			t.Errorf("%q: %v, %v", bench, points, err)
		}
	}
}

// Without a title, as with -P 0, tests of netperf are told apart by names that occur again.
func TestNetperfWithoutTitles(t *testing.T) {
	log := "THROUGHPUT=1000.00\nTHROUGHPUT_UNITS=10^6bits/s\nLOCAL_SEND_SIZE=65536\n" +
		"THROUGHPUT=20000.00\nTHROUGHPUT_UNITS=Trans/s\nREQUEST_SIZE=1\nRESPONSE_SIZE=1\n" +
		"THROUGHPUT=25000.00\nTHROUGHPUT_UNITS=Trans/s\nREQUEST_SIZE=1\nRESPONSE_SIZE=1\n"
	launches, err := Import("x", []byte(log), Given{Transport: "tcp"})
	var got []string
	for _, l := range launches {
		for i := range l.Points {
			got = append(got, summary(&l.Points[i]))
		}
	}
	want := []string{
		"uniband tcp raw 65536 B x2 | bandwidth_Bps 1.25e+08 mean",
		"pingpong tcp raw 1 B x2 | half_rtt_s 2.5e-05 mean | rtt_s 5e-05 mean",
		"pingpong tcp raw 1 B x2 | half_rtt_s 2e-05 mean | rtt_s 4e-05 mean",
	}
	if err != nil || len(launches) != 2 || !slices.Equal(got, want) {
		t.Errorf("%d launches: %q, %v", len(launches), got, err)
	}
	old := "TCP STREAM TEST to server\nRecv   Send    Send\nSocket Socket  Message  Elapsed\nSize   Size    Size     Time     Throughput\n" +
		"bytes  bytes   bytes    secs.    10^6bits/sec\n\n 87380  16384  16384    10.00     940.00\n"
	if _, points, err := imported("x", []byte(old), Given{}); err != nil || len(points) != 1 || summary(&points[0]) != "uniband tcp raw 16384 B x2 | bandwidth_Bps 1.175e+08 mean" {
		t.Errorf("%+v, %v", points, err)
	}
}

// Each row under a heading of netperf is a test, and the throughput of transactions without a unit
// is their rate.
func TestRowsOfNetperf(t *testing.T) {
	const stream = "TCP STREAM TEST from 0.0.0.0 port 0 AF_INET to 10.1.0.2 () port 0 AF_INET\n" +
		"Recv   Send    Send\nSocket Socket  Message  Elapsed\nSize   Size    Size     Time     Throughput\nbytes  bytes   bytes    secs.    10^6bits/sec\n\n" +
		" 16384 16384   4096    10.00    800.00\n 16384 16384   4096    10.00    880.00\n"
	checkSummaries(t, "rows", stream, Given{},
		"uniband tcp raw 4096 B x2 | bandwidth_Bps 1e+08 mean", "uniband tcp raw 4096 B x2 | bandwidth_Bps 1.1e+08 mean")
	if launches := all(t, stream, Given{}); len(launches) != 2 {
		t.Errorf("%d launches", len(launches))
	}
	// The table of -v 2 has as many columns, and so may have what another program prints.
	behind := stream + "\nAlignment      Offset\nLocal  Remote  Local  Remote  Xfered\n    8       8      0       0 3.127e+10\n"
	launches := all(t, behind, Given{})
	if got := said(launches); len(launches) != 2 || !strings.Contains(got, "line 12 is left out: other output precedes it") {
		t.Errorf("%d launches, %s", len(launches), got)
	}
	// A loop prints its number before each run.
	loop := strings.ReplaceAll(behind, "\n 16384 16384", "\nrun\n 16384 16384")
	if launches := all(t, loop, Given{}); len(launches) != 2 || !strings.Contains(said(launches), "line 14 is left out: other output precedes it") {
		t.Errorf("%d launches of a loop, %s", len(launches), said(launches))
	}
	for row, want := range map[string]string{
		" 16384 16384      0    10.00    800.00\n": "line 9 is left out: the size of the messages is 0",
		" 16384 16384   4096        0    800.00\n": `line 9 is left out: the time of the test is "0"`,
	} {
		if launches := all(t, stream+row, Given{}); len(launches) != 2 || !strings.Contains(said(launches), want) {
			t.Errorf("%s: %d launches, %s", row, len(launches), said(launches))
		}
	}
	const latency = "MIGRATED TCP REQUEST/RESPONSE TEST from 0.0.0.0 () port 0 AF_INET to 10.1.0.2 () port 0 AF_INET : first burst 0\n" +
		"Minimum      90th         Throughput Request \nLatency      Percentile              Size    \nMicroseconds Latency                 Bytes   \n             Microseconds                    \n" +
		"30           70           12500.00   8       \n"
	checkSummaries(t, "no unit", latency, Given{}, "pingpong tcp raw 8 B x2 | half_rtt_s 4e-05 mean | rtt_s 8e-05 mean")
}

// What logs do not state is asked for, and used if it is given.
func TestSizesThatLogsDoNotState(t *testing.T) {
	const log = "sockperf: == version #3.7 ==\n[ 0] IP = 10.0.0.2 PORT = 1 # TCP\nsockperf: Starting test...\n" +
		"sockperf: [Valid Duration] RunTime=1.000 sec; SentMessages=50000; ReceivedMessages=50000\n" +
		"sockperf: ====> avg-latency=10.000 (std-dev=1.000)\nsockperf: Summary: Latency is 10.000 usec\n"
	if _, _, err := imported("x", []byte(log), Given{}); err == nil || !strings.Contains(err.Error(), "add size") {
		t.Errorf("%v", err)
	}
	_, points, err := imported("x", []byte(log), Given{Size: 100})
	if err != nil || len(points) != 1 || summary(&points[0]) != "pingpong tcp raw 100 B x2 | half_rtt_s 1e-05 mean" {
		t.Errorf("%+v, %v", points, err)
	}
	// More answers than fit one after the other into the time.
	loaded := strings.Replace(log, "RunTime=1.000", "RunTime=0.500", 1)
	if _, points, err := imported("x", []byte(loaded), Given{Size: 100}); err != nil || len(points) != 1 || points[0].Bench != "loaded_lat" {
		t.Errorf("%+v, %v", points, err)
	}
}

// JSON that is cut off, or that another program wrote, gives no result and says so.
func TestJSONThatIsNotWhole(t *testing.T) {
	for file, cut := range map[string]int{"nccljson.log": 1, "hyperfine.json": 3, "iperf3.log": 0} {
		data, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		if cut > 0 {
			if _, _, err := imported(file, append(data[:len(data)-cut:len(data)-cut], '\n'), Given{}); err == nil {
				t.Errorf("%s: no error", file)
			}
			continue
		}
		// Of several objects the others are read.
		text := strings.Replace(string(data), `"reverse": 1,`, `"reverse": 1`, 1)
		if _, points, err := imported(file, []byte(text), Given{}); err != nil || len(points) != 4 {
			t.Errorf("%s: %d points, %v", file, len(points), err)
		}
	}
	for _, other := range []string{`{"results":[1,2]}`, `{"start":1,"end":2}`, `{"config":"x","results":[],"nccl_version":1}`, `{"test_info":[],"results":{}}`} {
		if _, points, err := imported("x", []byte(other+"\n"), Given{}); err == nil || len(points) != 0 {
			t.Errorf("%s: %v, %v", other, points, err)
		}
	}
}

// Objects that begin alike are runs of their own.
func TestRunsOfJSONDiffer(t *testing.T) {
	const object = "{\n\"results\": [{\"command\": \"true\", \"mean\": %s, \"user\": 0, \"times\": []}]\n}\n"
	ids := map[string]bool{}
	for _, mean := range []string{"0.5", "0.25"} {
		launches, err := Import("x", fmt.Appendf(nil, object, mean), Given{})
		if err != nil || len(launches) != 1 {
			t.Fatalf("%v, %v", launches, err)
		}
		ids[launches[0].Run.ID] = true
	}
	if len(ids) != 2 {
		t.Errorf("the runs have the names %v", ids)
	}
}
