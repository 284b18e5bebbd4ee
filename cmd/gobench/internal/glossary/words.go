package glossary

import "strings"

// words explains the words of tables, warnings and help texts that are not metrics, benchmarks,
// operations, algorithms or options. names lists a word and its synonyms, with an underscore for a
// blank.
var words = []struct{ names, about string }{
	{"± interval", "half width of the 95 % interval of the median between launches, in percent of it; it takes 6 launches, and ! is wider than --precision"},
	{"!", "beside ±: wider than the precision that --precision or --budget asked for"},
	{"*", "beside a number: measured on cores in another state than the rest of its column"},
	{"time", "time of one event of a benchmark or operation, in the headline: the metric t, global or local"},
	{"over", "transport that an application ran over"},
	{"usec us", "microsecond, 10^-6 s"},
	{"GB/s Gbit/s", "10^9 bytes per second; 1 GB/s = 8 Gbit/s"},
	{"Mmsg/s M/s", "10^6 messages per second"},
	{"peak", "the best size of the row"},
	{"takes", "ratio of times: how many times as long as the first transport, median of all ratios of a launch to a launch and its interval"},
	{"has", "ratio of rates: how many times as much as the first transport, median of all ratios of a launch to a launch and its interval"},
	{"by", "the fastest algorithm at each size"},
	{"next", "the second fastest algorithm, and how many times as long it takes; after like, those that are as fast within their intervals"},
	{"tie like", "other algorithms are as fast within their intervals"},
	{"verified", "the result of the application was compared with the right one: a wrong one ends with exit code 3"},
	{"bound", "what the facts of this machine allow at most: a message takes one cache line or more, a rate is at most that of the link after its headers and of the PCIe slot after its encoding"},
	{"steady", "the numbers vary little: ± is at most 5 % for half of the rows"},
	{"fair", "the numbers vary: ± is at most 15 % for half of the rows"},
	{"noisy", "the numbers vary much: ± is above 15 % for half of the rows; the cause and the remedy are beside it"},
	{"once few unsure", "there is no ±: one launch, fewer than 6, or launches that drift"},
	{"shared", "more ranks than cores: times include those of the scheduler"},
	{"test", "a fault was injected (--fault): the numbers are not results"},
	{"jitter", "variation of the time of an event: p99 and the maximum beside the median (--full, --json)"},
	{"in within", "half width of the interval within one launch, median over launches; it does not predict the next launch"},
	{"n", "number of launches behind a row"},
	{"t", "time of one event, named below the table (half_rtt, rtt, t, global, local, or one run in seconds)"},
	{"p99", "99th percentile of the events of a launch, median over launches; - if events were timed in batches or are fewer than 100"},
	{"bytes size", "size of one message; units are binary: 1 KiB = 1024 bytes"},
	{"repetitions", "timed events of all launches together"},
	{"Mbytes/sec MB/s", "bandwidth in 10^6 bytes per second"},
	{"agg", "aggregate bandwidth of a collective: size x ranks / t"},
	{"bus", "bus bandwidth of a collective: bytes that an ideal algorithm sends over the busiest link / t"},
	{"Mmsg/sec", "10^6 messages per second"},
	{"op/sec", "operations per second, back to back"},
	{"Mop/s", "10^6 operations per second of a kernel, as NPB counts them"},
	{"Mcell/s", "10^6 points of the grid and steps per second of FDTD"},
	{"effic.", "efficiency: speedup / ranks"},
	{"comm", "share of the time of a run that is spent in communication, mean over ranks; also the level of communicators"},
	{"cores", "core-to-core latency (half round trip of one cache line), kind of pair, slow, and the share of the time in that state"},
	{"near", "kind of pair of cores: less than 2 times the least core-to-core latency of this machine, as in one last-level cache"},
	{"middle", "kind of pair of cores: 2 to 4 times the least core-to-core latency of this machine"},
	{"far", "kind of pair of cores: 4 times the least core-to-core latency of this machine or more, as in other caches or sockets"},
	{"slow", "a fixed loop took at least 1.15 times its least time on this machine while the row was measured; the loop does not show why (a second thread on the core, its clock rate)"},
	{"changing", "the kind of pair of cores changed while samples were taken"},
	{"state", "kind of pair of cores and their speed; samples, rows and comparisons belong to one state"},
	{"oversubscribed", "more ranks than cores: times include those of the scheduler"},
	{"launch launches", "one start of new ranks with new buffers and connections; a command does 8 by default (--launches), and intervals are computed over launches"},
	{"round", "a launch under another launcher such as mpirun: the processes stay, the device is opened again"},
	{"run", "record of where and how one launch with one number of ranks was made; also one execution of an application"},
	{"series", "identifier that the launches of one command share"},
	{"cell", "one combination of benchmark, transport, size and other factors; a row of the table is a cell in one state"},
	{"block", "part of a sweep in which each command is launched once, in random order"},
	{"capsule", "archive of records with all that repeats them, to publish (gobench capsule); gobench rerun measures the same and tests its claims"},
	{"claim claims", "statement of the thesis or a paper that report --claims tests against records; in a capsule: the median of a cell, which a repetition should find again"},
	{"tolerance", "difference that a claim of a capsule allows: 2 + 2/(n-1) times the greatest distance of one of n launches from their median, at least 5 %"},
	{"throughput", "rate of operations that run back to back (coll --start=none); its inverse is not the time of one operation, because they overlap"},
	{"batch batched", "several events timed together, because one is short compared with the resolution of the clock; there are no percentiles then"},
	{"path", "protocol and copy method of a message, such as eager or rndv-split-cma"},
	{"eager", "path of small messages: sent without a handshake, and copied at the receiver"},
	{"rndv rendezvous", "path of large messages: after a handshake, data are moved into the receive buffer without an intermediate copy"},
	{"rndv-pipeline", "path of large messages: after the handshake in packets, which both sides copy at the same time"},
	{"rndv-get", "path of large messages: the receiver reads them from the memory of the sender"},
	{"rndv-put", "path of large messages: the sender writes them into the memory of the receiver"},
	{"rndv-split", "path of large messages: sender and receiver copy one half each"},
	{"ring", "path of fast sockets: bytes are copied into a ring in shared memory, and out of it"},
	{"direct", "path of fast sockets for large writes: the reader copies them from the memory of the writer"},
	{"copy", "copy method, at the end of a path: cma (process_vm_readv of Linux), shared memory (shm), stream (a socket), or RDMA"},
	{"level", "what is measured: raw (packets), socket (streams), device (messages with tags), comm (communicators and collectives)"},
	{"raw", "level of the transport alone: packets without tags or matching"},
	{"socket", "level of stream connections: blocking reads and writes of whole messages, without header or matching (--transport=sockets)"},
	{"device", "level of messages matched by source, tag and context; also memory that comes from the transport (--memory=device)"},
	{"floor", "least half width of the interval of a time, from the resolution of the clock and the error of its cost; also the difference that a machine shows between two equal programs (gobench sweep --aa)"},
	{"inconclusive cannot_tell", "too few launches, or too wide intervals, for a verdict or a winner"},
	{"verdict", "result of the test of one cell: slower, faster, same or inconclusive"},
	{"slower", "verdict: the difference is significant after Holm's correction and beyond the threshold"},
	{"faster", "verdict: significant and beyond the threshold, in the other direction"},
	{"same", "verdict: the whole interval of the ratio lies within the threshold"},
	{"threshold", "least difference that counts in a comparison (--min-effect)"},
	{"base baseline", "side of a comparison that the others are divided by (--base); of a gate, the file of earlier results"},
	{"new", "side of a comparison that is divided by the base"},
	{"x best", "time of an algorithm over that of the fastest one"},
	{"ratio", "median of all ratios of a launch of one side to a launch of the other (Hodges and Lehmann)"},
	{"p p-value", "probability of a difference at least as large if both sides are the same (Mann-Whitney test), after Holm's correction"},
	{"Holm", "correction of p-values for the number of cells, so that a false alarm in any of them has the stated probability"},
	{"gate", "comparison that ends with an exit code: 0 no regression, 4 regression, 5 inconclusive (compare --gate)"},
	{"power detectable", "probability that a slowdown of a given size is found; a gate prints the slowdown that it finds with 90 %"},
	{"A/A", "comparison of a program with itself, which shows the noise floor of the machine (sweep --aa)"},
	{"sweep plan", "file that crosses factors into many commands, launched in random order and resumable (gobench sweep)"},
	{"label", "name of a measurement that is written to its records (--label), for compare --by=label"},
	{"tag", "name and value that are written to the records of a measurement (--tag), for compare --by=tag.NAME"},
	{"median", "value in the middle of the ordered samples: half of them are smaller"},
	{"sample samples", "time of one event, or of a batch of them, inside a launch"},
	{"effective_sample_size n_eff", "number of independent values that are equivalent to the autocorrelated samples; an interval within a launch needs 20"},
	{"drift correlation", "launches get slower or faster with time, or are correlated with the previous one: they count as fewer independent launches, and their interval is wider or left out"},
	{"multimodal modes", "the samples have two or more separate peaks, so the median describes none of them well; the warning prints their ratio"},
	{"event", "unit that a benchmark repeats and times: a ping-pong, a window of messages, a collective operation"},
	{"caveat warning", "reason to doubt a number, printed beside it and written to its record"},
	{"probe", "loop before the cells that measures how much time other programs take from each core; also the command that shows what works on a host"},
	{"preempted interruptions detours", "share of the probe in which a core did not run the rank, and how often that happened"},
	{"clock", "clock of the times, the step in which it advances (resolution), and the time of one reading (overhead), which is subtracted"},
	{"record records", "one line of JSON in the file of results: a run, the point of a cell in a launch, or the summary of its launches"},
	{"transport", "mechanism that carries messages between ranks: smem, tcp, ibv and others (gobench probe lists them)"},
	{"benchmark bench", "pattern of messages that is timed (p2p --bench)"},
	{"metric", "quantity that a row has, such as half_rtt or bandwidth"},
	{"rank", "one of the processes or goroutines of a job, with a number from 0"},
	{"peer", "the other rank of a message"},
	{"host node", "machine that runs ranks (--hosts)"},
	{"window", "messages in flight at once in streaming benchmarks (--window)"},
	{"groups", "pairs or groups of ranks that run the same operation at the same time (-multi of IMB)"},
	{"pairs", "p2p on every pair of cores in turn (--pin=pairs); also the figure of it"},
	{"root", "rank that is the source or the destination of a rooted collective (--root)"},
	{"polls", "calls of Test during the computation with which a transfer overlaps (--polls); without them only progress outside of calls counts"},
	{"distribution", "of the lengths of the blocks of a vector form: even, large (one is half of all), empty (every second), zipf, random"},
	{"in_place", "a collective whose result replaces its input (--in-place)"},
	{"check", "check=strict: ranks compare their calls of collectives, and differences are errors"},
	{"memory", "where message buffers are: heap, or device for the allocator of the transport"},
	{"cache", "state of message buffers at each event: warm or cold"},
	{"buffers", "copies of the message buffers, used in turn (--buffers)"},
	{"reg_hits reg_misses reg_pinned reg_pinned_B", "messages of rank 0 whose buffer was already registered with the network, those whose buffer had to be registered, and the bytes registered at the end"},
	{"options", "settings of a transport (--set), all of them in each record"},
	{"memory_kind", "imported: kinds of memory of the sender's and the receiver's buffers, where one is that of an accelerator: cuda to host"},
	{"operation", "imported: what carries the messages, as the program names it: send, rdma-write, tag"},
	{"datatype", "imported: type of the elements of a message (MPI_FLOAT: float)"},
	{"reduction", "imported: operation of a reduction on the elements: sum, max"},
	{"loaded_lat", "imported: half round trip of messages that are sent at a given rate, without waiting for the answers before (sockperf under-load)"},
	{"request_response", "imported: round trip, or rate, of requests with answers of another size or with several in flight (netperf)"},
	{"pingpong_mt pingpong_mp", "imported: ping-pong between several threads or processes of two ranks (osu_latency_mt, osu_latency_mp)"},
	{"stream_triad stream_copy stream_scale stream_add", "imported: kernels of STREAM, whose bandwidth is that of memory"},
	{"library", "program that was measured: gobench, or the one whose log was imported"},
	{"map", "which ranks share a host: 2x4 are four on each of two hosts, one host after the other, 3+1 three and one, \"in turn\" one on each (--map)"},
	{"hosts", "machines that the ranks of a job are on (--hosts, --hostfile); a factor of comparisons is their number"},
	{"placement", "policy by which gobench places ranks on hosts (--map): spread, ppr:4, file, or none for one host after the other"},
	{"by_table", "the table in force chooses this algorithm for the cell, also where the command named it"},
	{"route", "network interface that messages between hosts take"},
	{"mtu", "largest packet of the network interface in bytes; a factor of comparisons"},
	{"seed", "start of the random order of cells, in each record (--seed)"},
	{"weak", "weak scaling: each core, ranks x threads, has the work of the class (gobench npb --weak); efficiency refers to copies"},
	{"productivity", "performance per cost: GOPS, or MB/s to files, per 1 USD/h of all nodes that a run needs, and USD for runs and operations (gobench report --figure=productivity --prices --cluster)"},
	{"phases", "parts of the time of a run: computation, each pattern of communication, file access"},
	{"copies", "independent serial runs on as many cores at once, which weak scaling is compared with"},
	{"real", "precision of FDTD: single or double"},
	{"read", "rate at which BT-IO reads its files back to verify them, after the timed steps"},
	{"io", "how BT-IO writes its files: full, simple, fortran or epio, and with which options (gobench npb bt-io --io)"},
	{"zones", "parts of the mesh of BT-MZ, LU-MZ and SP-MZ: each is solved on one rank, by its threads"},
	{"grid", "points of the grid of FDTD in both directions"},
	{"steps", "time steps of one run of FDTD"},
	{"table", "file with the fastest algorithm for each operation, number of ranks and size (gobench tune, --profile)"},
	{"precise precision", "relative half width of the interval between launches that a command aims at where a budget is given (--precision)"},
	{"budget", "time of one cell in all launches together (--budget); with it launches go on until rows are precise or it is used"},
	{"warm-up", "events before the samples, until a change-point test finds no difference; their times are dropped"},
	{"noise", "share of the time that other programs took from a core, in a probe before the cells"},
	{"steal", "share of the time that the host of a virtual machine took from a core"},
	{"warm", "cache=warm: the same buffers are used again and again"},
	{"cold", "cache=cold: buffers rotate over more than twice the last-level cache"},
	{"skew arrival_skew", "differences in the arrival of ranks at a collective: measured, or injected (--skew)"},
	{"implausible", "an impossible value, however precise: less than the latency of a cache line, or a larger message faster than a smaller one"},
	{"self-test", "faults are injected (--fault): the numbers are not results"},
	{"problem", "kernel and class, or grid and steps, that an application solves"},
	{"ranks rank_kind", "members of a job that communicate, processes or goroutines; 4x1 are four copies on one rank each"},
	{"threads", "threads of each rank of an application"},
	{"waits waited", "share of the time of an application on several hosts in which ranks wait: for ranks of their host / of others"},
	{"class", "size of the problem of a kernel: S, W, A, B, C, D and E; C/8 has an eighth of the work"},
	{"startup verbose", "the start of ranks: gobench startup measures it; --verbose of any command that measures prints its parts and the later ones: fork, start, connect, agree, calibrate, measure, end"},
	{"fork", "part of a launch: until all ranks have been started as processes"},
	{"start", "part of the start of ranks: until all processes have exchanged a message through their launcher"},
	{"connect", "part of the start of ranks: until the transport is open on all of them"},
	{"agree", "part of the start of ranks: the first messages, by which they compare their options along a tree"},
	{"calibrate", "part of a launch: the distances of cores, the noise, the clocks and their synchronisation, before the first cell"},
	{"measure", "part of a launch: all cells, with their warm-up"},
	{"end", "part of a launch: until all processes have ended; time of gobench startup from the barrier until all processes have ended; end_s in the record"},
	{"MB/rank resident_B", "memory of rank 0 that is in RAM after the barrier of a start, pages that ranks share included; resident_B has it after each part"},
	{"overlap", "overlap_ratio in percent: share of the shorter of communication and computation that overlaps with the other"},
	{"algorithm", "algorithm of a collective operation; --algo=all measures all of them"},
	{"verbs", "programming interface of RDMA adapters (InfiniBand, RoCE, iWARP), which the transport ibv uses"},
	{"bt", "kernel of NPB: flow by block tridiagonal systems, arithmetic, and messages along each axis of a grid"},
}

// plain returns an entry for each of words whose name is not taken. Where it is, the meaning of the
// word becomes a fact of the entry that has the name.
func plain(taken []Entry) []Entry {
	known := map[string]int{}
	for i, e := range taken {
		known[e.Name] = i
	}
	var list []Entry
	for _, e := range wordEntries() {
		if i, ok := known[e.Name]; ok {
			taken[i].Facts = append(taken[i].Facts, [2]string{inTables, e.About})
		} else {
			list = append(list, e)
		}
	}
	return list
}

// inTables is the name of the fact that is the meaning of a word which has another one, too.
const inTables = "in tables"

// wordEntries returns an entry for each of words.
func wordEntries() (list []Entry) {
	for _, w := range words {
		for i, name := range strings.Fields(w.names) {
			e := Entry{Name: strings.ReplaceAll(name, "_", " "), Kind: "word", About: w.about}
			if i > 0 {
				e.Facts = [][2]string{{"also", strings.ReplaceAll(strings.Fields(w.names)[0], "_", " ")}}
			}
			list = append(list, e)
		}
	}
	return list
}
