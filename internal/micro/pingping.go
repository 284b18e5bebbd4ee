package micro

import (
	"gobench/bench"
	"gobench/device"
)

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
