package clock

import (
	"math"
	"time"
)

// A check makes checkExchanges pings, or as many as fit into checkLimit.
const (
	checkExchanges = 50
	checkLimit     = 50 * time.Millisecond
)

// A Deviation describes the difference of the ranks' global times from that of rank 0, in seconds.
type Deviation struct {
	Max float64 // the largest possible difference: the measured offset plus half of the shortest round trip
	// Excess is the time by which a difference certainly exceeds the bound of its map, 0 = it may
	// be within the bound. The bound holds for clocks of constant rates: a greater difference shows
	// that a clock has been stepped or its rate has changed.
	Excess float64
}

// Check measures the current error of the ranks' maps. All ranks call it, and rank 0 compares its
// clock with each of the others in turn. Every rank returns the same Deviation, with the largest
// values of all ranks.
func Check(n Net, m Model) (Deviation, error) {
	rank, ranks := n.Rank(), n.Size()
	if rank > 0 {
		_, err := measure(n, 0, 1, 0) // until rank 0 answers this rank
		var p point
		if err == nil {
			p, err = measure(n, 0, checkExchanges, checkLimit)
		}
		if err == nil {
			err = n.Send(0, done)
		}
		if err != nil {
			return Deviation{}, err
		}
		off := math.Abs(float64(p.at + p.offset - m.Global(p.at)))
		excess := max(0, off-p.half-m.Bound(p.at)*1e9)
		for _, word := range [2]float64{off + p.half, excess} {
			if err := n.Send(0, int64(math.Ceil(word))); err != nil {
				return Deviation{}, err
			}
		}
		worst, err := receive(n, 0)
		return Deviation{float64(worst[0]) / 1e9, float64(worst[1]) / 1e9}, err
	}
	var worst [2]int64
	for other := 1; other < ranks; other++ {
		if err := answer(n, m, other); err != nil {
			return Deviation{}, err
		}
		own, err := receive(n, other)
		if err != nil {
			return Deviation{}, err
		}
		worst = [2]int64{max(worst[0], own[0]), max(worst[1], own[1])}
	}
	for other := 1; other < ranks; other++ {
		for _, word := range worst {
			if err := n.Send(other, word); err != nil {
				return Deviation{}, err
			}
		}
	}
	return Deviation{float64(worst[0]) / 1e9, float64(worst[1]) / 1e9}, nil
}

// receive receives the two words of a Deviation, in ns.
func receive(n Net, from int) (words [2]int64, err error) {
	for i := range words {
		if words[i], err = n.Recv(from); err != nil {
			break
		}
	}
	return words, err
}
