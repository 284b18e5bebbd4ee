package importer

import (
	"strings"
	"testing"
)

// Logs as people quote them in reports: with the command and without the title, without the marks
// that Markdown takes, with numbers in bold.
func TestQuotedLogs(t *testing.T) {
	const (
		heading = "#bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n"
		client  = "|              |              |        latency (usec)        |   bandwidth (MB/s)  |  message rate (msg/s) |\n" +
			"|    Stage     | # iterations | 50.0%ile | average | overall |  average |  overall |  average  |  overall  |\n" +
			"Final:                  2000      4.000   4.500   4.500      100.00      100.00       111111      111111\n"
		devices = "Rank  0 Pid 12 on node1 device  0 [0x00] A100\n Rank  1 Pid 13 on node1 device  1 [0x00] A100\n"
		table   = "       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  error\n" +
			"      131072         32768   float     sum    23.07    5.68    5.68  0e+00    18.39    7.13    7.13  0e+00\n" +
			" Out of bounds values : 0 OK\n"
		rate = " | bandwidth_Bps 1.024e+09 mean | message_rate_per_s 1e+06 mean"
	)
	for _, c := range []struct {
		name, log string
		given     Given
		want      []string
	}{
		{"perftest by its command", "numactl -C 64 ib_send_bw -d mlx5_0\n" + heading + "1024  1000  0.00  **976.56**  1.000000\n", Given{},
			[]string{"uniband ibv raw 1024 B x2 operation=send" + rate}},
		{"perftest in both directions", "$ ib_write_bw -b -d mlx5_0\n" + heading + "1024  1000  0.00  976.56  1.000000\n", Given{},
			[]string{"put_bibw ibv raw 1024 B x2 operation=rdma-write" + rate}},
		{"perftest by --bench", heading + "1024  1000  0.00  976.56  1.000000\n", Given{Bench: "get_bw"},
			[]string{"get_bw ibv raw 1024 B x2 operation=rdma-read" + rate}},
		{"ucx_perftest by its command", "[root@a bin]# ./ucx_perftest 10.0.0.1 -t tag_lat -s 3000\n" + client, Given{},
			[]string{"pingpong unknown device 3000 B x2 operation=tag | half_rtt_s 4e-06 n=2000"}},
		{"ucx_perftest, memory of an accelerator", "UCX_TLS=rc ucx_perftest b -t ucp_am_lat -m cuda,host -s 8\n" + client, Given{},
			[]string{"pingpong unknown raw 8 B x2 operation=am memory_kind=cuda to host | half_rtt_s 4e-06 n=2000"}},
		{"ucx_perftest, transport layer", "ucx_perftest b -t am_lat -s 8\n" + client, Given{},
			[]string{"pingpong unknown raw 8 B x2 options=api=uct operation=am | half_rtt_s 4e-06 n=2000"}},
		{"ucx_perftest, titles", "==== tag_lat ====\n" + client + "==== tag_sync_lat ====\n" + client, Given{Size: 8},
			[]string{"pingpong unknown device 8 B x2 operation=tag | half_rtt_s 4e-06 n=2000",
				"pingpong unknown device 8 B x2 operation=tag-sync | half_rtt_s 4e-06 n=2000"}},
		{"nccl-tests without #", "$ ./all_reduce_perf -b 8\nnThread 1 nGpus 2 minBytes 8 maxBytes 8 step: 2(factor) warmup iters: 5 iters: 20\n" + devices + table, Given{},
			[]string{"allreduce unknown comm 131072 B x2 start=none datatype=float reduction=sum | busbw_Bps 5.68e+09 mean of ranks | local_s 2.307e-05 mean of ranks",
				"allreduce unknown comm 131072 B x2 start=none in_place=true datatype=float reduction=sum | busbw_Bps 7.13e+09 mean of ranks | local_s 1.839e-05 mean of ranks"}},
		{"iperf3 with a value that is no number", `{"start":{"test_start":{"protocol":"UDP","num_streams":1,"blksize":250}},` +
			`"end":{"sum":{"bits_per_second":66000,"lost_percent": -nan}}}`, Given{}, []string{"uniband udp raw 250 B x2 | bandwidth_Bps 8250 mean"}},
	} {
		checkSummaries(t, c.name, c.log, c.given, c.want...)
	}
	for log, want := range map[string]string{
		heading + "1024  1000  0.00  976.56  1.000000\n":                       "line 2 is left out: the test is not stated",
		"ucx_perftest b -t nonsense -s 8\n" + client:                           "the test is not stated",
		"ib_send_bw\n" + heading + "65536  -1482993  0.00  -3.79  -0.007225\n": "no value is above 0",
		"Sendrecv:\n#bytes #repetitions t_min[usec]\n262144 160 30.48\n":       `"# Benchmarking NAME"`,
	} {
		if _, err := Import("x", []byte(log), Given{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", log, err, want)
		}
	}
}
