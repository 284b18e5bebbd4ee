package glossary

import "strings"

// words explains the words of tables, warnings and help texts that are not metrics, benchmarks,
// operations, algorithms or options. names lists a word and its synonyms, with an underscore for a
// blank.
var words = []struct{ names, about string }{
	{"± interval", "half width of the 95 % interval of the median between launches, in percent of it; it takes 6 launches, and ! is wider than --precision"},
	{"in within", "half width of the interval inside one launch, the median of the launches; it says nothing about the next launch"},
	{"n", "number of launches behind a row"},
	{"t", "time of one event, named below the table (half_rtt, rtt, t, global, local, or one run in seconds)"},
	{"p99", "99th percentile of the events inside a launch, the median of the launches; - where events were timed in batches, or are fewer than 100"},
	{"bytes size", "size of one message; units are binary: 1 KiB = 1024 bytes"},
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
	{"rndv-pipeline", "path of large messages: after the handshake in packets, which both sides copy at the same time"},
	{"rndv-get", "path of large messages: the receiver reads them from the memory of the sender"},
	{"rndv-put", "path of large messages: the sender writes them into the memory of the receiver"},
	{"rndv-split", "path of large messages: sender and receiver copy one half each"},
	{"ring", "path of fast sockets: bytes are copied into a ring in shared memory, and out of it"},
	{"direct", "path of fast sockets for large writes: the reader copies them from the memory of the writer"},
	{"copy", "way of copying at the end of a path: cma (process_vm_readv of Linux), shared memory (shm), stream (a socket), or RDMA"},
	{"level", "what is measured: raw (packets of the wire), socket (streams), device (messages with tags), comm (communicators and collectives)"},
	{"raw", "level of the bare wire: packets without tags or matching"},
	{"socket", "level of stream connections: blocking reads and writes of whole messages, without header or matching (--transport=sockets)"},
	{"device", "level of messages matched by source, tag and context; also memory that comes from the transport (--memory=device)"},
	{"floor", "least half width of an interval of a time, from the step of the clock and the error of its cost; also what a machine differs from itself (gobench sweep --aa)"},
	{"inconclusive cannot_tell", "there are too few launches, or their intervals are too wide, for a verdict or a winner"},
	{"verdict", "result of the test of one cell: slower, faster, same or inconclusive"},
	{"slower", "verdict: the difference is significant after Holm's correction and beyond the threshold"},
	{"faster", "verdict: significant and beyond the threshold, in the other direction"},
	{"same", "verdict: the whole interval of the ratio lies within the threshold"},
	{"threshold", "least difference that counts in a comparison (--min-effect)"},
	{"base baseline", "side of a comparison that the others are divided by (--base); of a gate, the file of earlier results"},
	{"new", "side of a comparison that is divided by the base"},
	{"ratio", "median of all ratios of a launch of one side to a launch of the other (Hodges and Lehmann)"},
	{"p p-value", "probability of a difference at least as large if both sides are the same (Mann-Whitney test), after Holm's correction"},
	{"Holm", "correction of p-values for the number of cells, so that a false alarm in any of them has the stated probability"},
	{"gate", "comparison that ends with an exit code: 0 no regression, 4 regression, 5 inconclusive (compare --gate)"},
	{"power detectable", "probability that a slowdown of a given size is found; a gate prints the slowdown that it finds with 90 %"},
	{"A/A", "comparison of a program with itself: it shows what the machine differs from itself (sweep --aa)"},
	{"sweep plan", "file that crosses factors into many commands, launched in random order and resumable (gobench sweep)"},
	{"label", "name of a measurement that is written to its records (--label), for compare --by=label"},
	{"tag", "name and value that are written to the records of a measurement (--tag), for compare --by=tag.NAME"},
	{"median", "value in the middle of the ordered samples: half of them are smaller"},
	{"sample samples", "time of one event, or of a batch of them, inside a launch"},
	{"effective_sample_size n_eff", "number of independent values that autocorrelated samples are worth; an interval inside a launch takes 20"},
	{"multimodal modes", "the samples have two or more separate peaks, so the median describes none of them well; the warning prints their ratio"},
	{"event", "what a benchmark repeats and times: a ping-pong, a window of messages, a collective operation"},
	{"caveat warning", "reason to doubt a number, printed beside it and written to its record"},
	{"probe", "loop that measures how much time others take from each core before the cells; also the command that shows what works on a host"},
	{"preempted interruptions detours", "share of the probe in which a core did not run the rank, and how often that happened"},
	{"clock", "clock of the times, the step in which it advances (resolution), and the time of one reading (overhead), which is subtracted"},
	{"record records", "one line of JSON in the file of results: a run, the point of a cell in a launch, or the summary of its launches"},
	{"transport", "way of messages between ranks: smem, tcp, ibv and others (gobench probe lists them)"},
	{"benchmark bench", "pattern of messages that is timed (p2p --bench)"},
	{"metric", "quantity that a row has, such as half_rtt or bandwidth"},
	{"rank", "one of the processes or goroutines of a job, with a number from 0"},
	{"peer", "the other rank of a message"},
	{"host node", "machine that runs ranks (--hosts)"},
	{"window", "messages in flight at once in streaming benchmarks (--window)"},
	{"groups", "pairs or groups of ranks that do the same at once (-multi of IMB)"},
	{"pairs", "p2p on every pair of cores in turn (--pin=pairs); also the figure of it"},
	{"root", "rank that a rooted collective sends from or receives at (--root)"},
	{"in_place", "a collective whose result replaces its input (--in-place)"},
	{"check", "check=strict: ranks compare their calls of collectives, and differences are errors"},
	{"memory", "where message buffers are: heap, or device for the allocator of the transport"},
	{"cache", "state of message buffers at each event: warm or cold"},
	{"options", "settings of a transport (--set), all of them in each record"},
	{"library", "program that the numbers are of: gobench, or the one whose log was imported"},
	{"route", "network interface that messages between hosts take"},
	{"mtu", "largest packet of the network interface in bytes; a factor of comparisons"},
	{"seed", "start of the random order of cells, in each record (--seed)"},
	{"copies", "independent serial runs on as many cores at once, which weak scaling is compared with"},
	{"real", "precision of FDTD: single or double"},
	{"io", "how BT-IO writes its files: full, simple, fortran or epio, and with which options (gobench npb bt-io --io)"},
	{"zones", "parts of the mesh of BT-MZ, LU-MZ and SP-MZ: each is solved on one rank, by its threads"},
	{"grid", "points of the grid of FDTD in both directions"},
	{"steps", "time steps of one run of FDTD"},
	{"table", "file with the fastest algorithm for each operation, number of ranks and size (gobench tune, --table)"},
	{"npb", "NAS Parallel Benchmarks: kernels and pseudo-applications of computational fluid dynamics, verified (gobench npb)"},
	{"precise precision", "relative half width of the interval between launches that a command aims at where a budget is given (--precision)"},
	{"budget", "time of one cell in all launches together (--budget); with it launches go on until rows are precise or it is used"},
	{"warm-up", "events before the timed ones count, until a change-point test finds no difference; they are dropped"},
	{"noise", "share of the time that others took from a core, in a probe before the cells"},
	{"steal", "share of the time that the host of a virtual machine took from a core"},
	{"warm", "cache=warm: the same buffers are used again and again"},
	{"cold", "cache=cold: buffers rotate over more than twice the last-level cache"},
	{"skew arrival_skew", "differences in the arrival of ranks at a collective: measured, or made on purpose (--skew)"},
	{"implausible", "a value that cannot be right, however precise it is: less than the latency of a cache line, or a larger message faster than a smaller one"},
	{"self-test", "messages are damaged, dropped or delayed on purpose (--fault): the numbers are no result"},
	{"problem", "kernel and class, or grid and steps, that an application solves"},
	{"ranks rank_kind", "parts of a job that talk to each other, processes or goroutines; 4x1 are four copies on one rank each"},
	{"threads", "threads of each rank of an application"},
	{"class", "size of the problem of a kernel: S, W, A, B, C, D, and E of bt, lu, sp and their multi-zone versions"},
	{"startup", "the start of ranks: gobench startup measures it"},
	{"start", "part of the start of ranks: until all processes have exchanged a message through their launcher"},
	{"connect", "part of the start of ranks: until the transport is open on all of them"},
	{"overlap", "overlap_ratio in percent: share of the shorter of communication and computation that is hidden behind the other"},
	{"algorithm", "which algorithm did a collective operation: --algo=all measures all of them"},
	{"verbs", "programming interface of RDMA adapters (InfiniBand, RoCE, iWARP), which the transport ibv uses"},
	{"bt", "kernel of NPB: flow by block tridiagonal systems, arithmetic, and messages along each axis of a grid"},
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
			if known[strings.ReplaceAll(name, "_", " ")] {
				continue
			}
			e := Entry{Name: strings.ReplaceAll(name, "_", " "), Kind: "word", About: w.about}
			if i > 0 {
				e.Facts = [][2]string{{"also", strings.ReplaceAll(strings.Fields(w.names)[0], "_", " ")}}
			}
			list = append(list, e)
		}
	}
	return list
}
