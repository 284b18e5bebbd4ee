package micro

import (
	"gobench/bench"
	"gobench/comm"
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

// SendrecvReplace returns Sendrecv with one buffer, whose data moves around the ring.
func SendrecvReplace() bench.Benchmark {
	b := Sendrecv()
	b.Name, b.Aliases, b.Threads, b.Communicator = "sendrecv_replace", []string{"shift"}, false, true
	b.About = "sendrecv with one buffer, whose data moves around the ring (MPI_Sendrecv_replace)"
	b.New = func(env *bench.Env) bench.Op {
		r := &replace{me: env.Rank(), ranks: env.Size(), data: env.Alloc(env.Bytes)}
		r.c, r.err = communicator(env, b.Name)
		return r
	}
	return b
}

type replace struct {
	c         *comm.Comm
	err       error // of New
	me, ranks int
	data      []byte
	moved     int // ranks by which the prepared data has moved
}

// Do implements bench.Op.
func (r *replace) Do(k int) error {
	if r.err != nil {
		return r.err
	}
	left, right := neighbours(r.me, r.ranks)
	for range k {
		if _, err := comm.SendrecvReplace(r.c, r.data, right, int(tag), left, int(tag)); err != nil {
			return err
		}
	}
	r.moved = (r.moved + k) % r.ranks
	return nil
}

// Prepare implements bench.Checker.
func (r *replace) Prepare(iteration uint64, _ bool) {
	bench.Stream{Rank: r.me}.Fill(r.data, iteration)
	r.moved = 0
}

// Check implements bench.Checker.
func (r *replace) Check(iteration uint64) *bench.DataError {
	source := (r.me - r.moved + r.ranks) % r.ranks
	if at, want := (bench.Stream{Rank: source}).Check(r.data, iteration); at >= 0 {
		return &bench.DataError{Size: len(r.data), Source: source, Offset: at, Want: want, Got: r.data[at]}
	}
	return nil
}
