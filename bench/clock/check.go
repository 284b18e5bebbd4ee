package clock

import "math"

// checkExchanges is the number of pings of a check.
const checkExchanges = 50

// Check measures the current error of the ranks' maps. All ranks call it, and rank 0 compares its
// clock with each of the others in turn. On every rank it returns the largest possible difference
// between any rank's global time and rank 0's, in seconds: the measured offset plus half of the
// shortest round trip.
func Check(n Net, m Model) (float64, error) {
	rank, ranks := n.Rank(), n.Size()
	if rank > 0 {
		p, err := measure(n, 0, checkExchanges)
		if err != nil {
			return 0, err
		}
		own := math.Abs(float64(p.at+p.offset-m.Global(p.at))) + p.half
		if err := n.Send(0, int64(math.Ceil(own))); err != nil {
			return 0, err
		}
		worst, err := n.Recv(0)
		return float64(worst) / 1e9, err
	}
	var worst int64
	for other := 1; other < ranks; other++ {
		if err := answer(n, m, other, checkExchanges); err != nil {
			return 0, err
		}
		own, err := n.Recv(other)
		if err != nil {
			return 0, err
		}
		worst = max(worst, own)
	}
	for other := 1; other < ranks; other++ {
		if err := n.Send(other, worst); err != nil {
			return 0, err
		}
	}
	return float64(worst) / 1e9, nil
}
