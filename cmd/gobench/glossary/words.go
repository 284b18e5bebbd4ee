package glossary

import "strings"

// words explains the words of tables, warnings and help texts that are not metrics, benchmarks,
// operations or algorithms. names lists a word and its synonyms.
var words = []struct{ names, about string }{
	{"± interval", "half width of the 95 % interval of the median between launches, in percent of it; it takes 6 launches, and ! is wider than --precision"},
	{"in within", "half width of the interval inside one launch, the median of the launches; it says nothing about the next launch"},
	{"n", "number of launches behind a row"},
	{"t", "time of one event, named below the table (half_rtt, rtt, t, global, local, or one run in seconds)"},
	{"p99", "99th percentile of the events inside a launch, the median of the launches; - where events were timed in batches, or are fewer than 100"},
	{"bytes", "size of one message; units are binary: 1 KiB = 1024 bytes"},
	{"repetitions", "timed events of all launches together"},
	{"Mbytes/sec MB/s", "bandwidth in 10^6 bytes per second"},
	{"agg", "aggregate bandwidth of a collective: size x ranks / t"},
	{"bus", "bus bandwidth of a collective: what the busiest link must carry / t"},
	{"Mmsg/sec", "10^6 messages per second"},
	{"op/sec", "operations per second, one right after the other"},
	{"Mop/s", "10^6 operations per second of a kernel, as NPB counts them"},
	{"Mcell/s", "10^6 points of the grid and steps per second of FDTD"},
	{"effic.", "efficiency: speedup / ranks"},
	{"comm", "share of the time of a run that is spent in communication, mean over ranks; also the level of communicators"},
	{"cores", "core-to-core latency (half round trip of one cache line), kind of pair, slow, and the share of the time in that state"},
	{"near", "kind of pair of cores: less than 2 times the least core-to-core latency of this machine, as in one last-level cache"},
	{"middle", "kind of pair of cores: 2 to 4 times the least core-to-core latency of this machine"},
	{"far", "kind of pair of cores: 4 times the least core-to-core latency of this machine or more, as in other caches or sockets"},
	{"slow", "a core was slower than it can be: another thread of it, or its clock, took part of its speed"},
	{"changing", "the kind of pair of cores changed while samples were taken"},
	{"state", "kind of pair of cores and their speed; samples, rows and comparisons belong to one state"},
	{"oversubscribed", "more ranks than cores: times are those of the scheduler as well"},
	{"launch launches", "one start of new ranks with new buffers and connections; a command makes 8 by default (--launches), and they are the samples of every interval"},
	{"round", "a launch under a foreign launcher such as mpirun: the processes stay, the device is opened anew"},
	{"run", "record of one launch with one number of ranks: where and how it was made; also one execution of an application"},
	{"series", "identifier that the launches of one command share"},
	{"cell", "one combination of benchmark, transport, size and other factors; a row of the table is a cell in one state"},
	{"block", "part of a sweep in which each command is launched once, in random order"},
	{"throughput", "operations back to back, in operations per second (coll --start=none); the inverse is no time of one operation, because they overlap"},
	{"batch batched", "events that are timed together where one is short beside a step of the clock; there are no percentiles then"},
	{"path", "protocol and way of copying that a message took, such as eager or rndv-split-cma"},
	{"eager", "path of small messages: sent before the receiver is known to wait, and copied there"},
	{"rndv rendezvous", "path of large messages: receiver and sender agree first, then data go to their place without another copy"},
	{"level", "what is measured: raw (packets of the wire), device (messages with tags), comm (communicators and collectives)"},
	{"raw", "level of the bare wire: packets without tags or matching"},
	{"device", "level of messages matched by source, tag and context; also memory that comes from the transport (--memory=device)"},
	{"floor", "least half width of an interval of a time, from the step of the clock and the error of its cost; also what a machine differs from itself (gobench sweep --aa)"},
	{"inconclusive", "the intervals overlap, or there are none: no winner can be named"},
	{"precise precision", "relative half width of the interval between launches that a command aims at where a budget is given (--precision)"},
	{"budget", "time of one cell in all launches together (--budget); with it launches go on until rows are precise or it is used"},
	{"warm-up", "events before the timed ones count, until a change-point test finds no difference; they are dropped"},
	{"noise", "share of the time that others took from a core, in a probe before the cells"},
	{"steal", "share of the time that the host of a virtual machine took from a core"},
	{"warm", "cache=warm: the same buffers are used again and again"},
	{"cold", "cache=cold: buffers rotate over more than twice the last-level cache"},
	{"skew", "differences in the arrival of ranks at a collective: measured, or made on purpose (--skew)"},
	{"implausible", "a value that cannot be right, however precise it is: less than the latency of a cache line, or a larger message faster than a smaller one"},
	{"self-test", "messages are damaged, dropped or delayed on purpose (--fault): the numbers are no result"},
	{"problem", "kernel and class, or grid and steps, that an application solves"},
	{"ranks", "parts of a job that talk to each other, processes or goroutines; 4x1 are four copies on one rank each"},
	{"threads", "threads of each rank of an application"},
	{"class", "size of the problem of a kernel: S, W, A, B, C, D, and E of bt, lu and sp"},
	{"startup", "the start of ranks: gobench startup measures it"},
	{"start", "part of the start of ranks: until all processes have exchanged a message through their launcher"},
	{"connect", "part of the start of ranks: until the transport is open on all of them"},
	{"overlap", "overlap_ratio in percent: share of the shorter of communication and computation that is hidden behind the other"},
	{"algorithm", "which algorithm did a collective operation: --algo=all measures all of them"},
	{"smem", "transport through memory that processes of one machine share"},
	{"tcp", "transport over TCP sockets"},
	{"smem+tcp", "transport of several hosts: smem between ranks of one host, tcp between hosts, in one device; options of both"},
	{"smem+ibv", "transport of several hosts: smem between ranks of one host, ibv between hosts, in one device; options of both"},
	{"verbs", "transport over RDMA adapters (InfiniBand, RoCE)"},
	{"seqpacket", "transport over local sockets of packets"},
	{"bt", "kernel of NPB: flow by block tridiagonal systems, arithmetic, and messages along each axis of a grid"},
	{"cg", "kernel of NPB: conjugate gradients, many small messages in pairs and sums"},
	{"ep", "kernel of NPB: random numbers, hardly any communication"},
	{"ft", "kernel of NPB: Fourier transform in three dimensions, all to all"},
	{"is", "kernel of NPB: sorting of integers, all to all with uneven sizes"},
	{"lu", "kernel of NPB: flow by relaxation, a pipeline of ranks with small messages"},
	{"mg", "kernel of NPB: multigrid, neighbours with messages of many sizes"},
	{"sp", "kernel of NPB: flow by scalar pentadiagonal systems, memory, and messages along each axis of a grid"},
	{"fdtd", "a wave in a box by finite differences: neighbours exchange edges"},
}

// plain returns an entry for each of words whose name is not taken.
func plain(taken []Entry) []Entry {
	known := map[string]bool{}
	for _, e := range taken {
		known[e.Name] = true
	}
	var list []Entry
	for _, w := range words {
		for i, name := range strings.Fields(w.names) {
			if known[name] {
				continue
			}
			e := Entry{Name: name, Kind: "word", About: w.about}
			if i > 0 {
				e.Facts = [][2]string{{"also", strings.Fields(w.names)[0]}}
			}
			list = append(list, e)
		}
	}
	return list
}
