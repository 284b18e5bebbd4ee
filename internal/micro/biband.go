package micro

import (
	"gobench/bench"
	"gobench/device"
)

// Biband returns IMB-MPI1's Biband: partners send each other a window of messages at the same time;
// the second half of the ranks then sends one byte.
func Biband() bench.Benchmark {
	return bench.Benchmark{
		Name:    "biband",
		Aliases: []string{"bi-band", "bibw", "osu_bibw"},
		About:   "a window of messages both ways at once, then one byte: bandwidth and message rate",
		Pattern: bench.Pairs,
		Threads: true,
		Window:  true,
		Metric:  "t_s", Scale: 1,
		Amount:  func(ranks, window int) int { return ranks * window },
		Rate:    true,
		Formula: "t = time of one window each way with its answer by all ranks; bandwidth = 2 x pairs x window x size / t, message_rate = 2 x pairs x window / t (IMB-MPI1 Biband)",
		Buffers: bench.Fixed(2),
		Traffic: always(device.Traffic{Both: true, Stream: true}),
		Timed:   all,
		New: func(env *bench.Env) bench.Op {
			peer := partner(env.Rank(), env.Size())
			if first(env.Rank(), env.Size()) {
				return newWindow(env, peer, true, true, false, (*window).startReceives, (*window).startSends, (*window).wait, (*window).recvAck)
			}
			return newWindow(env, peer, true, true, true, (*window).startReceives, (*window).startSends, (*window).wait, (*window).sendAck)
		},
	}
}
