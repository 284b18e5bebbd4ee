package micro

import (
	"gobench/bench"
	"gobench/device"
)

// The benchmarks of one-sided communication are those of perftest, with the names of ucx_perftest.
// They need level raw of a transport whose channel is a device.Linker.

// PutLat returns ib_write_lat: a put in each direction, each detected by polling memory.
func PutLat() bench.Benchmark {
	return remote(bench.Benchmark{
		Name:    "put_lat",
		Aliases: []string{"write_lat", "ib_write_lat"},
		About:   "a put (RDMA write) there and one back, waiting by looking at memory: half the round trip",
		Metric:  "half_rtt_s", Scale: 0.5,
		Amount:  func(ranks, _ int) int { return ranks / 2 },
		Formula: "half_rtt = t / 2, bandwidth = pairs x size / half_rtt (ib_write_lat of perftest)",
	}, (*remoteOp).pong)
}

// PutBw returns ib_write_bw: puts in one direction, a window of them at a time.
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

// GetBw returns ib_read_bw: gets, a window of them at a time.
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

// remote completes a one-sided benchmark.
func remote(b bench.Benchmark, do func(r *remoteOp, k int, s *device.Stamps) error) bench.Benchmark {
	b.Pattern, b.OneSided, b.Timed = bench.Pairs, true, first
	b.Buffers = bench.Fixed(4) // two are linked, and two more for events of one message where there is a window
	b.New = func(env *bench.Env) bench.Op { return newRemote(env, b, do) }
	return b
}
