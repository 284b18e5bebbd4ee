package micro

import (
	"gobench/bench"
	"gobench/device"
)

// MsgRate returns a benchmark of the message rate of all pairs together, in one direction, with
// pre-posted receives: the receiver posts a window of receives and sends one byte, then the sender
// sends the window. (OSU's osu_mbw_mr is uniband: messages may arrive before their receives.)
func MsgRate() bench.Benchmark {
	return bench.Benchmark{
		Name:    "msgrate",
		Aliases: []string{"message-rate", "mr"},
		About:   "all pairs at once, a window of messages into posted receives: message rate",
		Pattern: bench.Pairs,
		Threads: true,
		Window:  true,
		Metric:  "t_s", Scale: 1,
		Amount:  func(ranks, window int) int { return ranks / 2 * window },
		Rate:    true,
		Formula: "t = time of one window from 'posted' to the last message by all ranks; message_rate = pairs x window / t, bandwidth = message_rate x size",
		Buffers: bench.Fixed(1),
		Traffic: always(device.Traffic{Stream: true}),
		Timed:   all,
		New: func(env *bench.Env) bench.Op {
			peer := partner(env.Rank(), env.Size())
			if first(env.Rank(), env.Size()) {
				return newWindow(env, peer, true, false, false, (*window).recvAck, (*window).startSends, (*window).wait)
			}
			return newWindow(env, peer, false, true, true, (*window).startReceives, (*window).sendAck, (*window).wait)
		},
	}
}
