package micro

import (
	"gobench/bench"
	"gobench/device"
)

// FanIn returns a benchmark of the rate at which one rank receives from all others at the same
// time.
func FanIn() bench.Benchmark {
	return fan("fan_in", []string{"incast", "many-to-one"}, "all other ranks send a window of messages to rank 0, which answers each with one byte: what one rank can receive",
		func(ranks int) int { return ranks - 1 },
		func(env *bench.Env, peer int) *window {
			if env.Rank() == 0 {
				return newWindow(env, peer, false, true, true, (*window).startReceives, (*window).wait, (*window).sendAck)
			}
			return newWindow(env, peer, true, false, false, (*window).startSends, (*window).wait, (*window).recvAck)
		})
}

// FanOut returns a benchmark of the rate at which one rank sends to all others at the same time.
func FanOut() bench.Benchmark {
	return fan("fan_out", []string{"one-to-many"}, "rank 0 sends a window of messages to all other ranks, each of which answers with one byte: what one rank can send",
		func(int) int { return 1 },
		func(env *bench.Env, peer int) *window {
			if env.Rank() == 0 {
				return newWindow(env, peer, true, false, false, (*window).startSends, (*window).wait, (*window).recvAck)
			}
			return newWindow(env, peer, false, true, true, (*window).startReceives, (*window).wait, (*window).sendAck)
		})
}

// fan completes a benchmark of windows between rank 0 and each other rank.
func fan(name string, aliases []string, about string, buffers func(ranks int) int, to func(env *bench.Env, peer int) *window) bench.Benchmark {
	return bench.Benchmark{
		Name: name, Aliases: aliases, About: about,
		Pattern: bench.Chain,
		Window:  true,
		Metric:  "t_s", Scale: 1,
		Amount:  func(ranks, window int) int { return (ranks - 1) * window },
		Rate:    true,
		Formula: "t = time of the windows of all ranks with their answers; bandwidth = (p - 1) x window x size / t, message_rate = (p - 1) x window / t",
		Buffers: buffers,
		Traffic: always(device.Traffic{Stream: true}),
		Timed:   all,
		New: func(env *bench.Env) bench.Op {
			if env.Rank() > 0 {
				return to(env, 0)
			}
			f := make(branches, env.Size()-1)
			for i := range f {
				f[i] = to(env, i+1)
			}
			return f
		},
	}
}

// branches is the operation of a rank that takes the same steps with several others at the same
// time.
type branches []*window

func (b branches) Do(k int) error {
	for range k {
		for i := range b[0].steps {
			for _, w := range b {
				if err := w.steps[i](w); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
