package importer

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gobench/bench/record"
)

// summary describes a point in one line: what separates its cell, and its values, of which those of
// a median are n, min, percentiles and max.
func summary(p *record.Point) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s %d B x%d", p.Bench, p.Transport, p.Level, p.Size, p.Ranks)
	for _, f := range []string{"class", "threads", "window", "options", "start", "in_place", "algorithm"} {
		if value := record.LookupFactor(f).Text(p); value != "" {
			fmt.Fprintf(&b, " %s=%s", f, value)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(p.Metrics)) {
		v := p.Metrics[key]
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
			! line 32 is left out: the log does not state the size of netperf's messages: add --size`,
		"iperf3.log": `
			uniband tcp raw 131072 B x2 options=congestion=cubic | bandwidth_Bps 1.1765e+09 mean
			uniband tcp raw 131072 B x2 options=congestion=bbr direction=reverse streams=4 | bandwidth_Bps 1.175e+09 mean
			biband tcp raw 131072 B x2 options=congestion=cubic | bandwidth_Bps 1.7475e+09 mean
			uniband udp raw 1448 B x2 options=bitrate=1000000000 | bandwidth_Bps 1.24994e+08 mean | 40 of 863259 datagrams were lost
			uniband tcp raw 4096 B x2 options=congestion=cubic | bandwidth_Bps 5.1125e+08 mean
			! line 222 is left out: iperf3 failed: control socket has closed unexpectedly`,
		"fabtests.log": `
			pingpong unknown raw 64 B x2 | bandwidth_Bps 1.164e+07 mean | half_rtt_s 5.49828e-06 mean
			pingpong unknown raw 65536 B x2 | bandwidth_Bps 4.68114e+09 mean | half_rtt_s 1.4e-05 mean
			uniband unknown raw 64 B x2 | bandwidth_Bps 6.4e+07 mean | message_rate_per_s 1e+06 mean
			get_bw unknown raw 4096 B x2 | bandwidth_Bps 5.12e+09 mean | message_rate_per_s 1.25e+06 mean
			! the log does not name the program of fabtests: it is taken for uniband, by the number of transfers in an iteration (--bench says otherwise)`,
		"hpl.log": `
			hpl unknown comm 0 B x2 class=N=1000 NB=192 1x2 WR11C2R4 | mops 25600
			hpl unknown comm 0 B x4 class=N=8000 NB=192 2x2 WR11C2R4 | mops 106700 | run_s 3.2
			hpl unknown comm 0 B x4 class=N=92160 NB=1024 2x2 WC0 | mops 4.175e+07 | run_s 12.5 | the result was not checked
			! line 34 is left out: the result failed the check of its residual`,
		"stream.log": `
			stream_copy none raw 160000000 B x1 threads=4 | bandwidth_Bps 3.20005e+10 best | t_s 0.00999984 best mean=0.01025 min=0.00999984 max=0.011
			stream_scale none raw 160000000 B x1 threads=4 | bandwidth_Bps 2.13331e+10 best | t_s 0.0150002 best mean=0.01525 min=0.0150002 max=0.016
			stream_add none raw 160000000 B x1 threads=4 | bandwidth_Bps 2.40002e+10 best | t_s 0.0199998 best mean=0.02025 min=0.0199998 max=0.021
			stream_triad none raw 160000000 B x1 threads=4 | bandwidth_Bps 2.39991e+10 best | t_s 0.0200008 best mean=0.02025 min=0.0200008 max=0.021
			stream_copy none raw 16000000 B x1 threads=2 | bandwidth_Bps 1.6e+10 best | t_s 0.002 best mean=0.0021 min=0.002 max=0.0022
			stream_triad none raw 16000000 B x1 threads=2 | bandwidth_Bps 1.5e+10 best | t_s 0.0032 best mean=0.0033 min=0.0032 max=0.0034
			stream_copy none raw 640000000 B x4 threads=2 | bandwidth_Bps 1.28e+11 best | t_s 0.01 best mean=0.0105 min=0.01 max=0.011 | the result was not checked
			! lines 81 and 82 are left out: the arrays did not validate`,
		"imbremote.log": `
			window unknown comm 4 B x4 | average_s 2.025e-05 mean of ranks | fastest_s 2.01e-05 mean | t_s 2.05e-05 mean
			put_bw unknown comm 0 B x2 window=100 | message_rate_per_s 5e+07 mean
			put_bw unknown comm 4096 B x2 window=1000 | bandwidth_Bps 8.192e+09 mean | message_rate_per_s 2e+06 mean
			put unknown comm 4096 B x2 | bandwidth_Bps 1.6384e+09 mean | t_s 2.5e-06 mean
			get_lat unknown comm 4096 B x2 | bandwidth_Bps 2.048e+09 mean | t_s 2e-06 mean
			one_put_all unknown comm 4096 B x4 | bandwidth_Bps 3.072e+09 mean | t_s 4e-06 mean
			all_put_all unknown comm 4096 B x4 | average_s 6.25e-06 mean of ranks | fastest_s 6e-06 mean | t_s 6.5e-06 mean
			fetch_and_op unknown comm 4 B x2 window=1000 | bandwidth_Bps 3.2e+06 mean | t_s 1.25e-06 mean
			truly_passive_put unknown comm 4096 B x2 | overlapped_s 3.05e-05 mean | pure_s 2.5e-06 mean
			pingpong unknown comm 1024 B x2 threads=4 | average_s 1.95e-06 mean of ranks | bandwidth_Bps 2.048e+09 mean | fastest_s 1.9e-06 mean | half_rtt_s 2e-06 mean
			uniband unknown comm 1024 B x2 threads=4 window=32 | bandwidth_Bps 3.6e+10 mean | message_rate_per_s 4e+07 mean
			allreduce unknown comm 1024 B x4 threads=2 | average_s 9e-06 mean of ranks | fastest_s 8.5e-06 mean | local_s 9.5e-06 mean
			! times are computed from the bandwidth where that is printed with more digits
			! line 87 is left out: the size is no multiple of the number of threads`,
		"osuthreads.log": `
			pingpong_mt unknown comm 8 B x2 options=receiver=4 sender=1 | bandwidth_Bps 3.2e+06 mean | half_rtt_s 2.5e-06 mean
			pingpong_mp unknown comm 0 B x2 options=receiver=2 sender=2 | half_rtt_s 2.5e-07 mean
			pingpong_mp unknown comm 8 B x2 options=receiver=2 sender=2 | bandwidth_Bps 1.6e+07 mean | half_rtt_s 5e-07 mean`,
		"hyperfine.json": `
			sort --parallel=2 big unknown comm 0 B x1 | run_s 0.5105 n=4 mean=0.51325 min=0.5005 max=0.5315
			sort ` + "\ufffd" + `[31mbig unknown comm 0 B x1 | run_s 1.25 mean=1.25 min=1.25 max=1.25
			! line 42 is left out: runs of "false" failed`,
		"gobench.txt": `
			Push unknown comm 1024 B x1 class=example.org/queue threads=4 | bandwidth_Bps 9.75238e+08 n=2 | t_s 1.05e-06 n=2 mean=1.05e-06
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
