package micro

import (
	"gobench/bench"
	"gobench/device"
)

// PingPong returns IMB's PingPong: a message to the partner, and one of the same size back, with
// blocking calls. Half of the round trip is reported.
func PingPong() bench.Benchmark {
	return bench.Benchmark{
		Name:    "pingpong",
		Aliases: []string{"ping-pong", "latency", "lat", "osu_latency", "osu_multi_lat"},
		About:   "a message there and one back, blocking: half the round trip",
		Pattern: bench.Pairs,
		Threads: true,
		Metric:  "half_rtt_s", Scale: 0.5,
		Amount:  func(ranks, _ int) int { return ranks / 2 },
		Formula: "half_rtt = t / 2, bandwidth = pairs x size / half_rtt (IMB-MPI1 PingPong; several pairs as in IMB-P2P)",
		Buffers: bench.Fixed(2),
		Timed:   first,
		New:     newPingPong,
	}
}

func newPingPong(env *bench.Env) bench.Op {
	peer := partner(env.Rank(), env.Size())
	if loop, ok := env.Channel.(device.Linker); ok && loop.Native() {
		return &looped{loop, peer, env.Send(0), env.Recv(peer, 0), first(env.Rank(), env.Size())}
	}
	half := pingpong{env.Channel, peer, env.Send(0), env.Recv(peer, 0)}
	return half.side(env)
}

type pingpong struct {
	ch   device.Channel
	peer int
	out  []byte
	in   []byte
}

// side returns the operation of this rank, which sends first or receives first.
func (p *pingpong) side(env *bench.Env) bench.Op {
	if first(env.Rank(), env.Size()) {
		return (*pinger)(p)
	}
	return (*ponger)(p)
}

type pinger pingpong

func (p *pinger) Do(k int) error {
	for range k {
		if err := p.ch.Send(p.out, p.peer, tag, bench.Context); err != nil {
			return err
		}
		if _, err := p.ch.Recv(p.in, p.peer, tag, bench.Context); err != nil {
			return err
		}
	}
	return nil
}

type ponger pingpong

func (p *ponger) Do(k int) error {
	for range k {
		if _, err := p.ch.Recv(p.in, p.peer, tag, bench.Context); err != nil {
			return err
		}
		if err := p.ch.Send(p.out, p.peer, tag, bench.Context); err != nil {
			return err
		}
	}
	return nil
}

// looped is a ping-pong whose loop runs in the channel.
type looped struct {
	ch    device.Linker
	peer  int
	out   []byte
	in    []byte
	first bool
}

func (p *looped) Do(k int) error { return p.ch.PingPong(p.out, p.in, p.peer, k, p.first, nil) }

// Stamp implements bench.Stamper.
func (p *looped) Stamp(s *device.Stamps) error {
	return p.ch.PingPong(p.out, p.in, p.peer, len(s.At)*s.Every, p.first, s)
}

// pingPongTurns returns OSU's osu_latency_mt: PingPong between a thread of a rank and several
// threads of its partner.
func pingPongTurns() bench.Benchmark {
	b := PingPong()
	b.Name, b.Aliases = "pingpong_turns", []string{"osu_latency_mt"}
	b.About = "pingpong between one thread and several threads of the partner, which receive in turn: half the round trip"
	b.Formula = "half_rtt = t / 2, bandwidth = pairs x size / half_rtt"
	b.Communicator = true
	b.Turns = func(rank, ranks int) bool { return !first(rank, ranks) }
	return b
}

// PingPing returns IMB's PingPing: both partners send before they receive (Isend, Recv, Wait), so
// that messages cross.
func PingPing() bench.Benchmark {
	return bench.Benchmark{
		Name:    "pingping",
		Aliases: []string{"ping-ping"},
		About:   "both partners send at once: messages that cross",
		Pattern: bench.Pairs,
		Threads: true,
		Metric:  "t_s", Scale: 1,
		Amount:  func(ranks, _ int) int { return ranks / 2 },
		Formula: "t = time of one exchange by all ranks; bandwidth = pairs x size / t (IMB-MPI1 PingPing: one direction counts)",
		Buffers: bench.Fixed(2),
		Traffic: always(device.Traffic{Both: true}),
		Timed:   all,
		New: func(env *bench.Env) bench.Op {
			peer := partner(env.Rank(), env.Size())
			return &pingping{env.Channel, peer, env.Send(0), env.Recv(peer, 0)}
		},
	}
}

type pingping struct {
	ch   device.Channel
	peer int
	out  []byte
	in   []byte
}

func (p *pingping) Do(k int) error {
	for range k {
		sent, err := p.ch.Isend(p.out, p.peer, tag, bench.Context)
		if err != nil {
			return err
		}
		if _, err := p.ch.Recv(p.in, p.peer, tag, bench.Context); err != nil {
			return err
		}
		if _, err := p.ch.Wait(sent); err != nil {
			return err
		}
	}
	return nil
}
