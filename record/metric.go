package record

import (
	"math/bits"
	"strings"

	"gobench/internal/collect"
)

// Direction states whether lower or higher values of a metric are better.
type Direction string

// Directions.
const (
	Lower  Direction = "lower"
	Higher Direction = "higher"
)

// A Metric describes one metric.
type Metric struct {
	Name      string    // "half_rtt": for people and on the command line
	Key       string    // "half_rtt_s": in JSON and CSV, with the unit
	Unit      string    // "s", "B/s", "1/s"
	Direction Direction // which way is better
	Meaning   string    // one line
	Formula   string    // how it is computed
}

// Metrics is the catalogue, in the order of columns. It is not changed after initialisation.
var Metrics = []Metric{
	{"half_rtt", "half_rtt_s", "s", Lower,
		"time for one message one way, as half of a round trip in an otherwise idle system",
		"half_rtt = rtt / 2, per event; median over events"},
	{"rtt", "rtt_s", "s", Lower,
		"time from the start of a send to the end of the receive of the answer of the same size",
		"rtt = t(answer received) - t(send started), on one clock"},
	{"t", "t_s", "s", Lower,
		"time of one iteration of the pattern, as IMB's t[usec] (PingPing, Sendrecv, Exchange: one exchange; Uniband, Biband: one window)",
		"t = (end - end of the one before) / iterations timed together, where the end is when the last rank has finished; median over them"},
	{"local", "local_s", "s", Lower,
		"time of a collective on each rank's own clock after a barrier, the slowest rank of each event",
		"local = max over ranks of (exit - entry); median over events"},
	{"global", "global_s", "s", Lower,
		"time of a collective on one synchronised clock, from the first rank in to the last rank out",
		"global = max over ranks of exit - min over ranks of entry; median over events"},
	{"throughput", "throughput_Ops", "op/s", Higher,
		"operations per second of a collective that runs back to back; its inverse is not a latency, because operations overlap",
		"throughput = 1 / t, where t is the time of one of many operations in a row"},
	{"skew", "skew_s", "s", Lower,
		"difference between the slowest and the fastest rank of an event",
		"skew = max over ranks of time - min over ranks of time; median over events"},
	{"fastest", "fastest_s", "s", Lower,
		"time of the fastest rank of a collective, where the log of another program prints the times of several ranks",
		"fastest = min over ranks of the mean over events, as IMB (t_min) and OSU (-f) print it"},
	{"average", "average_s", "s", Lower,
		"mean time of the ranks of a collective, where the log of another program prints the times of several ranks",
		"average = mean over ranks of the mean over events, as IMB (t_avg) and OSU (-f) print it"},
	{"pure", "pure_s", "s", Lower,
		"time of a non-blocking collective that is started and at once waited for, the slowest rank of each event",
		"pure = max over ranks of (exit - entry); median over events"},
	{"compute", "compute_s", "s", Lower,
		"time of a computation on every rank that was chosen to take as long as the operation",
		"compute = max over ranks of (end - begin); median over events"},
	{"overlapped", "overlapped_s", "s", Lower,
		"time of a non-blocking collective with that computation between its start and its wait",
		"overlapped = max over ranks of (exit - entry); median over events"},
	{"overlap_ratio", "overlap_ratio", "1", Higher,
		"share of the shorter of operation and computation that overlaps with the other, as IMB-NBC computes it: 1 = all of it, 0 = nothing",
		"overlap_ratio = max(0, min(1, (pure + compute - overlapped) / min(pure, compute))), of the medians of a round of the three; median over rounds"},
	{"bandwidth", "bandwidth_Bps", "B/s", Higher,
		"payload bytes per second that the pattern moves (decimal: 1 MB/s = 10^6 B/s)",
		"bandwidth = amount_B / time; PingPong: size / half_rtt; PingPing: size / t; Sendrecv: 2 size / t; Exchange: 4 size / t; Uniband, MsgRate: window size / t; Biband: 2 window size / t; times the pairs that run at once"},
	{"message_rate", "message_rate_per_s", "1/s", Higher,
		"messages per second that the pattern moves",
		"message_rate = messages of one iteration / t; Uniband, MsgRate: window / t; Biband: 2 window / t; times the pairs that run at once"},
	{"aggregate", "aggregate_Bps", "B/s", Higher,
		"bandwidth of a collective as in the thesis: all ranks' bytes over the time",
		"aggregate = size x ranks / time"},
	{"delivered", "delivered_Bps", "B/s", Higher,
		"bandwidth of a collective as F-MPJ's authors count it: the bytes of all ranks but one over the time",
		"delivered = size x (ranks - 1) / time"},
	{"algbw", "algbw_Bps", "B/s", Higher,
		"algorithm bandwidth of a collective, as nccl-tests prints it",
		"algbw = size / time; nccl-tests counts the blocks of all ranks as the size of alltoall, allgather and reduce_scatter"},
	{"busbw", "busbw_Bps", "B/s", Higher,
		"bus bandwidth of a collective: what the links carry if the algorithm were ideal, comparable over numbers of ranks",
		"busbw = ideal bytes per link / time; allreduce: 2 (ranks - 1) / ranks x size / time"},
	{"run", "run_s", "s", Lower,
		"time of one run of an application or kernel, from begin to end of its timed region; of NPB's kernels the longest time of a rank, of FT rank 0's",
		"run = max over ranks of (end - begin); median over runs"},
	{"processor", "processor_s", "s", Lower,
		"processor time of a rank for one iteration, in the program and in the kernel, as a mean over the iterations of a launch and the ranks; a rank that polls is always busy",
		"processor = (growth of ru_utime + ru_stime of getrusage) / iterations; per byte: processor / size"},
	{"user", "user_s", "s", Lower,
		"processor time in user mode of a whole command, with the processes that it waited for",
		"user = ru_utime of wait4; median over launches"},
	{"system", "system_s", "s", Lower,
		"processor time in the kernel of a whole command, with the processes that it waited for",
		"system = ru_stime of wait4; median over launches"},
	{"peak_memory", "peak_memory_B", "B", Lower,
		"most memory in RAM that the largest process of a command held, shared pages included; unknown if it is less than gobench itself needs",
		"peak_memory = ru_maxrss of wait4; median over launches"},
	{"mops", "mops", "Mop/s", Higher,
		"millions of operations per second of a kernel, in all, as NPB counts them",
		"mops = operations of the problem / time / 10^6"},
	{"storage", "storage_Bps", "B/s", Higher,
		"bytes per second that BT-IO writes, with the time of the rank that writes longest (NPB prints a harmonic mean over the ranks)",
		"storage = bytes written / max over ranks of (time in appends + time to close)"},
	{"storage_read", "storage_read_Bps", "B/s", Higher,
		"bytes per second that BT-IO reads back for its verification, after the timed steps, with the time of the rank that reads longest; unless BT-IO bypasses the page cache, most come from it, where it holds them",
		"storage_read = bytes written / max over ranks of time in reads"},
	{"mcells", "mcells", "Mcell/s", Higher,
		"millions of points of the grid that FDTD updates per second, in all: one update is a step of all three fields at a point",
		"mcells = points x steps / time / 10^6"},
	{"speedup", "speedup", "times", Higher,
		"how many times faster than on one rank a run is: the same problem, transport and threads",
		"speedup = rate / rate of the stored 1-rank run (strong scaling)"},
	{"efficiency", "efficiency", "times", Higher,
		"share of the best that the ranks could do: ranks times one rank, or, where the problem grows with them, independent serial copies on the same cores at once",
		"efficiency = speedup / ranks; weak scaling: rate / rate of as many independent serial copies"},
	{"distance", "distance_s", "s", Lower,
		"half round trip of one cache line between the cores of two ranks: what the machine allows, and whether two vCPUs are near or far",
		"distance = time of k handovers to and fro / (2 k)"},
}

// times lists the keys of metrics that are the time of one event, in the order of TimeKey's
// preference.
var times = []string{"half_rtt_s", "rtt_s", "t_s", "global_s", "local_s", "run_s", "pure_s"}

// A TimeSet is a set of metrics that are the time of one event.
type TimeSet uint8

// Key returns the key of the first metric of the set, "" if it is empty.
func (s TimeSet) Key() string {
	if s == 0 {
		return ""
	}
	return times[bits.TrailingZeros8(uint8(s))]
}

// AllTimes holds all metrics that are times.
const AllTimes TimeSet = 1<<7 - 1

// timeOf holds the place of metrics in times, by their place in the catalogue.
var timeOf = func() (sets [64]TimeSet) {
	for i, key := range times {
		sets[metricIndex[key]] = 1 << i
	}
	return sets
}()

// TimeKey returns the key of the first metric that is the time of one event and that all points
// with these metrics have, "" if there is none.
func TimeKey(points ...Values) string {
	set := AllTimes
	for i := range points {
		set &= points[i].Times()
	}
	return set.Key()
}

// IsApplication reports whether the point describes a whole run of an application or a kernel, or a
// start-up. Imported logs may have the rate of a run without its time.
func (p *Point) IsApplication() bool {
	for _, key := range []string{"run_s", "mops", "mcells"} {
		if p.Metrics.Has(key) {
			return true
		}
	}
	return false
}

// Lookup finds a metric by name or key.
func Lookup(name string) (Metric, bool) {
	if i, ok := metricIndex[name]; ok {
		return Metrics[i], true
	}
	for _, m := range Metrics {
		if name == m.Name {
			return m, true
		}
	}
	return Metric{}, false
}

// Names lists the names of all metrics, for messages.
func Names() string {
	return strings.Join(collect.Each(Metrics, func(m Metric) string { return m.Name }), ", ")
}

// Time reports whether the metric is a time. Only times have percentiles.
func (m Metric) Time() bool { return m.Unit == "s" }

// Share reports whether the metric is a share, from 0 to 1.
func (m Metric) Share() bool { return m.Unit == "1" }
