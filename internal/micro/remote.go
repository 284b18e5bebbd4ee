package micro

import (
	"strings"

	"gobench/bench"
	"gobench/device"
)

// The benchmarks of one-sided communication follow perftest, with the names of ucx_perftest. They
// need level raw of a transport whose channel is a device.Linker.

// atomicSize is the size of the integer of atomic operations, in bytes.
const atomicSize = 8

// remotes returns the benchmarks. Those of bandwidth have a window, as the tx-depth of perftest.
func remotes() []bench.Benchmark {
	return []bench.Benchmark{
		remote("put_lat", "write_lat", "a put (RDMA write) there and one back, detected by polling memory: half the round trip", (*remoteOp).pong),
		remote("put_bw", "write_bw", "a window of puts (RDMA writes) one way, until all are in place: bandwidth and message rate", (*remoteOp).put),
		remote("get_lat", "read_lat", "one get (RDMA read) after the other: the time of one", (*remoteOp).get),
		remote("get_bw", "read_bw", "a window of gets (RDMA reads), until all are complete: bandwidth and message rate", (*remoteOp).get),
		remote("fadd_lat", "atomic_lat -A FETCH_AND_ADD", "one atomic fetch-and-add in the peer's memory after the other: the time of one", (*remoteOp).add),
		remote("fadd_bw", "atomic_bw -A FETCH_AND_ADD", "a window of atomic fetch-and-adds in the peer's memory, until all are complete: rate", (*remoteOp).add),
		remote("cswap_lat", "atomic_lat -A CMP_AND_SWAP", "one atomic compare-and-swap in the peer's memory after the other: the time of one", (*remoteOp).swap),
		remote("cswap_bw", "atomic_bw -A CMP_AND_SWAP", "a window of atomic compare-and-swaps in the peer's memory, until all are complete: rate", (*remoteOp).swap),
	}
}

// remote completes a benchmark; perftest is its name there, without the prefix ib_.
func remote(name, perftest, about string, do func(r *remoteOp, k int, s *device.Stamps) error) bench.Benchmark {
	b := bench.Benchmark{
		Name: name, About: about,
		Pattern: bench.Pairs, OneSided: true,
		Metric: "t_s", Scale: 1,
		Amount:  func(ranks, _ int) int { return ranks / 2 },
		Buffers: bench.Fixed(4), // two, and two more for the checks with a window of one message
		Timed:   first,
	}
	one, bytes := "get", "size"
	program, option, atomic := strings.Cut(perftest, " -A ")
	if atomic {
		b.Only, one, bytes = atomicSize, "operation", "8 bytes"
	}
	if option != "CMP_AND_SWAP" { // the other is the default
		b.Aliases = []string{program, "ib_" + program}
	}
	switch {
	case name == "put_lat":
		b.Metric, b.Scale = "half_rtt_s", 0.5
		b.Formula = "half_rtt = t / 2, bandwidth = pairs x size / half_rtt (ib_write_lat of perftest)"
	case strings.HasSuffix(name, "_bw"):
		b.Window, b.Rate = true, true
		b.Amount = func(ranks, window int) int { return ranks / 2 * window }
		b.Formula = "t = time of one window by all pairs; bandwidth = pairs x window x " + bytes + " / t (ib_" + perftest + " of perftest, with the window as its tx-depth)"
	default:
		b.Formula = "t = time of one " + one + ", bandwidth = pairs x " + bytes + " / t (ib_" + perftest + " of perftest)"
	}
	b.New = func(env *bench.Env) bench.Op { return newRemote(env, b, do) }
	return b
}
