package micro

import (
	"gobench/bench"
	"gobench/device"
)

// Exchange returns IMB-MPI1's Exchange: the ranks are a ring, each exchanges messages with both
// neighbours, as in boundary exchange.
func Exchange() bench.Benchmark {
	return bench.Benchmark{
		Name:    "exchange",
		About:   "a ring: exchange with both neighbours, as in a boundary exchange",
		Pattern: bench.Chain,
		Threads: true,
		Metric:  "t_s", Scale: 1,
		Amount:  func(int, int) int { return 4 },
		Formula: "t = time of one exchange by all ranks; bandwidth = 4 x size / t, what one rank sends and receives (IMB-MPI1 Exchange)",
		Buffers: bench.Fixed(4),
		Traffic: always(device.Traffic{Both: true}),
		Timed:   all,
		New:     newExchange,
	}
}

// Streams of a rank. With two ranks both neighbours are the same rank: its first message is the one
// to its right, which this rank receives from the left.
const (
	toRight = 0
	toLeft  = 1
)

func newExchange(env *bench.Env) bench.Op {
	left, right := neighbours(env.Rank(), env.Size())
	return &exchange{
		env.Channel, left, right,
		env.Send(toRight), env.Send(toLeft),
		env.Recv(left, toRight), env.Recv(right, toLeft),
	}
}

type exchange struct {
	ch                  device.Channel
	left, right         int
	outRight, outLeft   []byte
	fromLeft, fromRight []byte
}

func (x *exchange) Do(k int) error {
	for range k {
		sentRight, err := x.ch.Isend(x.outRight, x.right, tag, bench.Context)
		if err != nil {
			return err
		}
		sentLeft, err := x.ch.Isend(x.outLeft, x.left, tag, bench.Context)
		if err != nil {
			return err
		}
		if _, err := x.ch.Recv(x.fromLeft, x.left, tag, bench.Context); err != nil {
			return err
		}
		if _, err := x.ch.Recv(x.fromRight, x.right, tag, bench.Context); err != nil {
			return err
		}
		if _, err := x.ch.Wait(sentRight); err != nil {
			return err
		}
		if _, err := x.ch.Wait(sentLeft); err != nil {
			return err
		}
	}
	return nil
}

// Sendrecv returns IMB-MPI1's Sendrecv: the ranks are a ring, each sends to its right neighbour and
// receives from its left.
func Sendrecv() bench.Benchmark {
	return bench.Benchmark{
		Name:    "sendrecv",
		Aliases: []string{"send-recv"},
		About:   "a ring: send to the right while receiving from the left",
		Pattern: bench.Chain,
		Threads: true,
		Metric:  "t_s", Scale: 1,
		Amount:  func(int, int) int { return 2 },
		Formula: "t = time of one shift by all ranks; bandwidth = 2 x size / t, what one rank sends and receives (IMB-MPI1 Sendrecv)",
		Buffers: bench.Fixed(2),
		Traffic: func(ranks int) device.Traffic { return device.Traffic{Both: ranks == 2} },
		Timed:   all,
		New: func(env *bench.Env) bench.Op {
			left, right := neighbours(env.Rank(), env.Size())
			return &sendrecv{env.Channel, left, right, env.Send(0), env.Recv(left, 0)}
		},
	}
}

type sendrecv struct {
	ch          device.Channel
	left, right int
	out         []byte
	in          []byte
}

func (s *sendrecv) Do(k int) error {
	for range k {
		received, err := s.ch.Irecv(s.in, s.left, tag, bench.Context)
		if err != nil {
			return err
		}
		sent, err := s.ch.Isend(s.out, s.right, tag, bench.Context)
		if err != nil {
			return err
		}
		if _, err := s.ch.Wait(received); err != nil {
			return err
		}
		if _, err := s.ch.Wait(sent); err != nil {
			return err
		}
	}
	return nil
}
