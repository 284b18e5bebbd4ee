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
