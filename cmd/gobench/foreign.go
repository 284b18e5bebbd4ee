package main

import (
	"github.com/spf13/cobra"

	"gobench/internal/lazyregexp"
)

// foreignCommands answers names of other programs and of their modes, in small letters, with the
// command that measures the same. Names of benchmarks and operations are in their registries.
var foreignCommands = map[string]string{
	"iperf": streams, "iperf3": streams, "throughput": streams, "bandwidth": streams, "tcp_stream": streams, "nuttcp": streams,
	"sockperf": latency, "netperf": latency, "tcp_rr": latency, "rtt": latency, "qperf": latency, "ping": latency, "under-load": latency,
	"ib_send_lat": "gobench p2p --transport=ibv", "ib_send_bw": "gobench p2p --transport=ibv --bench=uniband",
	"imb-mpi1": "gobench p2p --bench=all, or gobench coll --op=all", "ucx_perftest": "gobench p2p --transport=ucx", "fi_pingpong": "gobench p2p --transport=ofi",
	"hyperfine": "gobench time", "bench": "gobench p2p", "run": "gobench p2p",
}

const (
	streams = "gobench p2p --transport=tcp --bench=uniband"
	latency = "gobench p2p --transport=tcp"
)

var flagInText = lazyregexp.New(`--([a-z][a-z-]+)`)

// hasFlagsOf reports whether a command has all flags that an answer names.
func hasFlagsOf(cmd *cobra.Command, answer string) bool {
	for _, m := range flagInText.FindAllStringSubmatch(answer, -1) {
		if cmd.Flags().Lookup(m[1]) == nil {
			return false
		}
	}
	return true
}

// foreignFlags answers flags of other programs with those of gobench, by their names as pflag
// reports them.
var foreignFlags = map[string]string{
	"-t":                "the time of iperf3, sockperf and nccl-tests is --duration=TIME here (0 = until Ctrl-C)",
	"--time":            "the time of iperf3 and sockperf is --duration=TIME here (0 = until Ctrl-C)",
	"-D":                "the duration of perftest is --duration=TIME here (0 = until Ctrl-C)",
	"-P":                "the streams of iperf3 are pairs of ranks here: -n 8 for 4 pairs, with --bench=uniband",
	"--parallel":        "the streams of iperf3 are pairs of ranks here: -n 8 for 4 pairs, with --bench=uniband",
	"-c":                "both ends are started by one command: --hosts=HERE,THERE, by ssh",
	"--client":          "both ends are started by one command: --hosts=HERE,THERE, by ssh",
	"-s":                "no server is started: --hosts=a,b starts both ends by ssh, --node and --meet one by hand",
	"--server":          "no server is started: --hosts=a,b starts both ends by ssh, --node and --meet one by hand",
	"-i":                "the iterations of OSU and sockperf's interval are --iterations=N and --duration here; a line is printed for each launch",
	"--iter":            "the repetitions of IMB are --iterations=N here",
	"-iter":             "the repetitions of IMB are --iterations=N here",
	"--iters":           "the iterations of perftest and nccl-tests are --iterations=N here",
	"-x":                "the warm-up of OSU is --warmup=N here",
	"--warmup_iters":    "the warm-up of nccl-tests is --warmup=N here",
	"-m":                "the sizes of OSU are --sizes=MIN:MAX here",
	"--message-size":    "the sizes of OSU and sockperf are --sizes=LIST here",
	"-l":                "the length of iperf3 is --sizes=LIST here",
	"-b":                "the sizes of nccl-tests are --sizes=MIN:MAX here; gobench sends as fast as it can",
	"-e":                "the sizes of nccl-tests are --sizes=MIN:MAX here",
	"-f":                "the sizes of nccl-tests are --sizes=MIN:MAX here, all powers of two",
	"-a":                "all sizes of perftest are --sizes=all here",
	"--all":             "all sizes are --sizes=all here, all benchmarks --bench=all or --op=all",
	"-msglen":           "the sizes of IMB are --sizes=LIST here",
	"-npmin":            "the number of ranks of IMB is -n here",
	"-multi":            "the groups of IMB are --groups=N of gobench coll",
	"-d":                "the device of perftest is --set=device=NAME here",
	"--ib-dev":          "the device of perftest is --set=device=NAME here",
	"-r":                "the runs of hyperfine are --launches=N here",
	"--runs":            "the runs of hyperfine are --launches=N here",
	"--min-runs":        "the runs of hyperfine are --launches=N here",
	"--export-json":     "--export=FILE.jsonl exports the rows; records are kept in any case (-o FILE)",
	"--export-csv":      "--export=FILE.csv exports the rows",
	"--export-markdown": "--export=FILE.md exports the tables",
	"-J":                "the JSON of iperf3 is --json here",
	"--report_gbits":    "rates are printed in GB/s: 1 GB/s is 8 Gbit/s; --fail-if takes Gbit/s",
	"-u":                "gobench measures no UDP; --transport=tcp, or sctp",
	"--udp":             "gobench measures no UDP; --transport=tcp, or sctp",
	"-R":                "every ping-pong goes in both directions; --hosts=b,a exchanges the ends",
	"-w":                "the window of iperf3 (-w), and hyperfine's warm-up, are --window=N and --warmup=N here; buffers of sockets are --set=sndbuf and --set=rcvbuf",
	"-W":                "the window of OSU is --window=N here",
	"-O":                "the warm-up of iperf3 is --warmup=N here",
	"--omit":            "the warm-up of iperf3 is --warmup=N here",
	"-A":                "the affinity of iperf3 is --pin=LIST here",
	"--affinity":        "the affinity of iperf3 is --pin=LIST here",
	"-p":                "the port of iperf3 and sockperf is chosen by the system here; --meet=HOST:PORT sets one for ranks that are started by hand",
	"--port":            "the port of iperf3 and sockperf is chosen by the system here; --meet=HOST:PORT sets one for ranks that are started by hand",
	"-q":                "the queue pairs of perftest are pairs of ranks here: -n 8 for 4 pairs",
	"-g":                "the GPUs of nccl-tests are ranks here: -n",
	"-M":                "--launches=N is the number of launches here",
	"-N":                "the cycles of nccl-tests are --launches=N here, or --duration=TIME (0 = until Ctrl-C)",
	"-z":                "only --memory=heap and device are measured here",
	"-time":             "the time of IMB is --duration=TIME here (0 = until Ctrl-C)",
	"-msglog":           "the sizes of IMB are --sizes=MIN:MAX here",
	"-mem":              "the memory of IMB is that of --sizes here",
	"--interval":        "a line is printed for each launch here; --duration=TIME sets how long launches go on",
	"--length":          "the length of iperf3 is --sizes=LIST here",
	"--bytes":           "the bytes of iperf3 are --iterations=N of --sizes here",
	"--bitrate":         "gobench sends as fast as it can",
	"--bandwidth":       "gobench sends as fast as it can",
	"--size":            "the size of perftest is --sizes=LIST here",
	"--msg-size":        "the size of sockperf is --sizes=LIST here",
	"--minbytes":        "the sizes of nccl-tests are --sizes=MIN:MAX here",
	"--maxbytes":        "the sizes of nccl-tests are --sizes=MIN:MAX here",
	"--ngpus":           "the GPUs of nccl-tests are ranks here: -n",
	"--format":          "--json, --csv and --export=FILE choose the format of results here",
	"--prepare":         "no command is run before a launch here",
	"-V":                "the version is printed by gobench version",
}
