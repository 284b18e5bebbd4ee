package application

import (
	"gobench/comm"
)

// Split is how the time of a run is divided into phases, in seconds: over all
// ranks the least, the mean and the most, and how often rank 0 entered it.
type Split map[string]Share

// Share is the time of one phase.
type Share struct {
	Min   float64 `json:"min"`
	Mean  float64 `json:"mean"`
	Max   float64 `json:"max"`
	Calls int64   `json:"calls,omitempty"`
}

// Communication is the mean share of the time that is not computation.
func (s Split) Communication() float64 {
	var all, talk float64
	for name, share := range s {
		all += share.Mean
		if name != Compute.String() {
			talk += share.Mean
		}
	}
	if all == 0 {
		return 0
	}
	return talk / all
}

// Messages is who sends how much to whom in a run.
type Messages struct {
	Pairs       []Pair  `json:"pairs,omitempty"`
	Sizes       []Count `json:"sizes,omitempty"` // of messages, all pairs together
	Collectives Traffic `json:"collectives"`     // operations of rank 0, and the bytes that it put in
}

// Pair is what one rank sends to another.
type Pair struct {
	From int `json:"from"`
	To   int `json:"to"`
	Traffic
}

// Count is a number of messages of up to so many bytes, and more than the class
// before.
type Count struct {
	Bytes    int64 `json:"up_to_B"`
	Messages int64 `json:"messages"`
}

// gatherSplit puts the times of all ranks together on rank 0.
func gatherSplit(world *comm.Comm, t *Timers) (Split, error) {
	var own [phases]float64
	for p := range own {
		own[p] = t.Seconds(Phase(p))
	}
	all := make([]float64, len(own)*world.Size())
	if err := comm.Gather(world, own[:], all, 0); err != nil {
		return nil, err
	}
	split := Split{}
	for p := range own {
		share := Share{Min: all[p], Calls: t.Calls(Phase(p))}
		for rank := range world.Size() {
			v := all[rank*len(own)+p]
			share.Min, share.Max = min(share.Min, v), max(share.Max, v)
			share.Mean += v / float64(world.Size())
		}
		if share.Max > 0 {
			split[Phase(p).String()] = share
		}
	}
	return split, nil
}

// gatherMessages puts the profiles of all ranks together on rank 0.
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
