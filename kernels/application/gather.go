package application

import (
	"gobench/comm"
	"gobench/comm/op"
	"gobench/internal/launch/host"
)

// Split holds the time of a run by phase.
type Split map[string]Share

// Share is the time of one phase in seconds: minimum, mean and maximum over all ranks, and how
// often rank 0 entered the phase.
type Share struct {
	Min   float64 `json:"min"`
	Mean  float64 `json:"mean"`
	Max   float64 `json:"max"`
	Calls int64   `json:"calls,omitempty"`
}

// Messages is the communication matrix of a run, with the sizes of its messages.
type Messages struct {
	Pairs       []Pair  `json:"pairs,omitempty"`
	Sizes       []Count `json:"sizes,omitempty"` // of messages, all pairs together
	Collectives Traffic `json:"collectives"`     // operations of rank 0, and the bytes that it contributed
}

// Pair is the traffic from one rank to another.
type Pair struct {
	From int `json:"from"`
	To   int `json:"to"`
	Traffic
}

// Count is the number of messages in one class of sizes: up to Bytes, and larger than the class
// before.
type Count struct {
	Bytes    int64 `json:"up_to_B"`
	Messages int64 `json:"messages"`
}

// gatherSplit collects the phase times of all ranks on rank 0.
func gatherSplit(world *comm.Comm, t *Timers) (Split, error) {
	var own [phases]float64
	for p := range own {
		own[p] = t.Seconds(Phase(p))
	}
	shares, err := gatherShares(world, own[:])
	if err != nil {
		return nil, err
	}
	split := Split{}
	for p, share := range shares {
		if share.Calls = t.Calls(Phase(p)); share.Max > 0 {
			split[Phase(p).String()] = share
		}
	}
	return split, nil
}

// gatherShares collects times of all ranks on rank 0, in seconds.
func gatherShares(world *comm.Comm, own []float64) ([]Share, error) {
	all := make([]float64, len(own)*world.Size())
	if err := comm.Gather(world, own, all, 0); err != nil {
		return nil, err
	}
	shares := make([]Share, len(own))
	for i := range shares {
		shares[i].Min = all[i]
		for rank := range world.Size() {
			v := all[rank*len(own)+i]
			shares[i].Min, shares[i].Max = min(shares[i].Min, v), max(shares[i].Max, v)
			shares[i].Mean += v / float64(world.Size())
		}
	}
	return shares, nil
}

// gatherWaits collects on rank 0 the times that the ranks have waited for others, without those of
// pauses. It returns nil if there is no meter. All ranks have one, or no rank does.
func gatherWaits(world *comm.Comm, meter waitMeter, apart [2]float64) (Split, error) {
	if meter == nil {
		return nil, nil
	}
	inside, between := meter.Waits()
	shares, err := gatherShares(world, []float64{inside - apart[0], between - apart[1]})
	if err != nil {
		return nil, err
	}
	return Split{"inside": shares[0], "between": shares[1]}, nil
}

// sumUsage returns the sum over the ranks of what their processes used, zero if ranks share one.
func sumUsage(world *comm.Comm, u host.Usage) (host.Usage, error) {
	if world.Device().Info().Ranks != "process" {
		return host.Usage{}, nil
	}
	sum := [...]float64{u.User, u.System, u.Switches}
	err := comm.Allreduce(world, nil, sum[:], op.Sum[float64]())
	return host.Usage{User: sum[0], System: sum[1], Switches: sum[2]}, err
}

// gatherMessages collects the profiles of all ranks on rank 0.
func gatherMessages(world *comm.Comm, p *Profile) (Messages, error) {
	ranks := world.Size()
	own := make([]int64, 0, 2*ranks+SizeClasses)
	for _, t := range p.Peers {
		own = append(own, t.Messages, t.Bytes)
	}
	own = append(own, p.Sizes[:]...)
	all := make([]int64, len(own)*ranks)
	if err := comm.Gather(world, own, all, 0); err != nil {
		return Messages{}, err
	}
	m := Messages{Collectives: p.Collectives}
	var sizes [SizeClasses]int64
	for from := range ranks {
		row := all[from*len(own):][:len(own)]
		for to := range ranks {
			if n := row[2*to]; n > 0 {
				m.Pairs = append(m.Pairs, Pair{from, to, Traffic{n, row[2*to+1]}})
			}
		}
		for k, n := range row[2*ranks:] {
			sizes[k] += n
		}
	}
	for k, n := range sizes {
		if n > 0 {
			m.Sizes = append(m.Sizes, Count{1<<k - 1, n})
		}
	}
	return m, nil
}
