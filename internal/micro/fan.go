package micro

import (
	"gobench/bench"
	"gobench/comm"
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

// FanInSome returns FanIn with answers in the order in which windows arrive.
func FanInSome() bench.Benchmark {
	b := FanIn()
	b.Name, b.Aliases, b.Communicator = "fan_in_some", []string{"waitsome"}, true
	b.About = "fan_in whose rank 0 answers in the order in which windows arrive (MPI_Waitsome), not in that of the ranks"
	inOrder := b.New
	b.New = func(env *bench.Env) bench.Op {
		op := inOrder(env)
		if env.Rank() > 0 {
			return op
		}
		a := &arrivals{branches: op.(branches), window: env.Window, left: make([]int, env.Size()-1)}
		a.requests = make([]comm.Request, len(a.left)*a.window)
		a.done = make([]int, 0, len(a.requests))
		a.c, a.err = communicator(env, b.Name)
		return a
	}
	return b
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

// arrivals is the operation of a rank that answers each of several when all of its window has
// arrived.
type arrivals struct {
	branches
	c        *comm.Comm
	err      error // of New
	window   int
	requests []comm.Request // a window for each branch
	left     []int          // requests of each branch
	done     []int
}

// Do implements bench.Op.
func (a *arrivals) Do(k int) error {
	if a.err != nil {
		return a.err
	}
	for range k {
		for i := range a.requests {
			w := a.branches[i/a.window]
			var err error
			if a.requests[i], err = comm.Irecv(a.c, w.in, w.peer, int(tag)); err != nil {
				return err
			}
			a.left[i/a.window] = a.window
		}
		for open := len(a.left); open > 0; {
			var err error
			if a.done, err = comm.WaitSome(a.requests, a.done, nil); err != nil {
				return err
			}
			for _, i := range a.done {
				branch := i / a.window
				if a.left[branch]--; a.left[branch] > 0 {
					continue
				}
				if err := a.branches[branch].sendAck(); err != nil {
					return err
				}
				open--
			}
		}
	}
	return nil
}
