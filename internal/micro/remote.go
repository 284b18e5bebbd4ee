package micro

import (
	"gobench/bench"
	"gobench/device"
)

// The benchmarks of one-sided communication follow perftest, with the names of ucx_perftest. They
// need level raw of a transport whose channel is a device.Linker.

// PutLat returns ib_write_lat: a put in each direction, each detected by polling memory.
func PutLat() bench.Benchmark {
	return remote(bench.Benchmark{
		Name:    "put_lat",
		Aliases: []string{"write_lat", "ib_write_lat"},
		About:   "a put (RDMA write) there and one back, detected by polling memory: half the round trip",
		Metric:  "half_rtt_s", Scale: 0.5,
		Amount:  func(ranks, _ int) int { return ranks / 2 },
		Formula: "half_rtt = t / 2, bandwidth = pairs x size / half_rtt (ib_write_lat of perftest)",
	}, (*remoteOp).pong)
}

// PutBw returns ib_write_bw: windows of puts in one direction.
func PutBw() bench.Benchmark {
	return remote(bench.Benchmark{
		Name:    "put_bw",
		Aliases: []string{"write_bw", "ib_write_bw"},
		About:   "a window of puts (RDMA writes) one way, until all are in place: bandwidth and message rate",
		Window:  true,
		Metric:  "t_s", Scale: 1,
		Amount:  func(ranks, window int) int { return ranks / 2 * window },
		Rate:    true,
		Formula: "t = time of one window by all pairs; bandwidth = pairs x window x size / t (ib_write_bw of perftest, with the window as its tx-depth)",
	}, (*remoteOp).put)
}

// GetLat returns ib_read_lat: one get after the other.
func GetLat() bench.Benchmark {
	return remote(bench.Benchmark{
		Name:    "get_lat",
		Aliases: []string{"read_lat", "ib_read_lat"},
		About:   "one get (RDMA read) after the other: the time of one",
		Metric:  "t_s", Scale: 1,
		Amount:  func(ranks, _ int) int { return ranks / 2 },
		Formula: "t = time of one get, bandwidth = pairs x size / t (ib_read_lat of perftest)",
	}, (*remoteOp).get)
}

// GetBw returns ib_read_bw: windows of gets.
func GetBw() bench.Benchmark {
	return remote(bench.Benchmark{
		Name:    "get_bw",
		Aliases: []string{"read_bw", "ib_read_bw"},
		About:   "a window of gets (RDMA reads), until all are complete: bandwidth and message rate",
		Window:  true,
		Metric:  "t_s", Scale: 1,
		Amount:  func(ranks, window int) int { return ranks / 2 * window },
		Rate:    true,
		Formula: "t = time of one window by all pairs; bandwidth = pairs x window x size / t (ib_read_bw of perftest, with the window as its tx-depth)",
	}, (*remoteOp).get)
}

// atomicSize is the size of the integer of atomic operations, in bytes.
const atomicSize = 8

// FaddLat returns ib_atomic_lat -A FETCH_AND_ADD: one atomic operation after the other.
func FaddLat() bench.Benchmark {
	return atomic("fadd", "lat", "one atomic fetch-and-add in the peer's memory after the other: the time of one", "ib_atomic_lat -A FETCH_AND_ADD")
}

// FaddBw returns ib_atomic_bw -A FETCH_AND_ADD: windows of atomic operations.
func FaddBw() bench.Benchmark {
	return atomic("fadd", "bw", "a window of atomic fetch-and-adds in the peer's memory, until all are complete: rate", "ib_atomic_bw -A FETCH_AND_ADD")
}

// CswapLat returns ib_atomic_lat -A CMP_AND_SWAP.
func CswapLat() bench.Benchmark {
	return atomic("cswap", "lat", "one atomic compare-and-swap in the peer's memory after the other: the time of one", "ib_atomic_lat -A CMP_AND_SWAP")
}

// CswapBw returns ib_atomic_bw -A CMP_AND_SWAP.
func CswapBw() bench.Benchmark {
	return atomic("cswap", "bw", "a window of atomic compare-and-swaps in the peer's memory, until all are complete: rate", "ib_atomic_bw -A CMP_AND_SWAP")
}

// atomic completes a benchmark of an atomic operation: its latency or its rate.
func atomic(operation, what, about, perftest string) bench.Benchmark {
	b := bench.Benchmark{
		Name: operation + "_" + what, About: about, Only: atomicSize,
		Metric: "t_s", Scale: 1,
		Amount:  func(ranks, _ int) int { return ranks / 2 },
		Formula: "t = time of one operation, bandwidth = pairs x 8 bytes / t (" + perftest + " of perftest)",
	}
	if what == "bw" {
		b.Window, b.Rate = true, true
		b.Amount = func(ranks, window int) int { return ranks / 2 * window }
		b.Formula = "t = time of one window by all pairs; bandwidth = pairs x window x 8 bytes / t (" + perftest + " of perftest, with the window as its tx-depth)"
	}
	if operation == "fadd" {
		b.Aliases = []string{"ib_atomic_" + what} // its default
		return remote(b, (*remoteOp).add)
	}
	return remote(b, (*remoteOp).swap)
}

// remote completes a one-sided benchmark.
func remote(b bench.Benchmark, do func(r *remoteOp, k int, s *device.Stamps) error) bench.Benchmark {
	b.Pattern, b.OneSided, b.Timed = bench.Pairs, true, first
	b.Buffers = bench.Fixed(4) // two, and two more for the checks with a window of one message
	b.New = func(env *bench.Env) bench.Op { return newRemote(env, b, do) }
	return b
}
