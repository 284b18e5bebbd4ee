package micro

import (
	"gobench/bench"
	"gobench/device"
)

// Uniband returns IMB-MPI1's Uniband: the first half of the ranks sends a window of messages to the
// second half, which answers with one byte when all have arrived.
func Uniband() bench.Benchmark {
	return bench.Benchmark{
		Name:    "uniband",
		Aliases: []string{"uni-band", "bw", "bandwidth", "osu_bw", "mbw_mr", "osu_mbw_mr"},
		About:   "a window of messages one way, then one byte back: bandwidth and message rate",
		Pattern: bench.Pairs,
		Threads: true,
		Window:  true,
		Metric:  "t_s", Scale: 1,
		Amount:  func(ranks, window int) int { return ranks / 2 * window },
		Rate:    true,
		Formula: "t = time of one window with its answer by all ranks; bandwidth = pairs x window x size / t, message_rate = pairs x window / t (IMB-MPI1 Uniband)",
		Buffers: bench.Fixed(1),
		Traffic: always(device.Traffic{Stream: true}),
		Timed:   all,
		New: func(env *bench.Env) bench.Op {
			peer := partner(env.Rank(), env.Size())
			if first(env.Rank(), env.Size()) {
				return newWindow(env, peer, true, false, false, (*window).startSends, (*window).wait, (*window).recvAck)
			}
			return newWindow(env, peer, false, true, true, (*window).startReceives, (*window).wait, (*window).sendAck)
		},
	}
}
