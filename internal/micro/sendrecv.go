package micro

import (
	"gobench/bench"
	"gobench/device"
)

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
