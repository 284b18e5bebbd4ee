package clock

// point is one offset between two clocks.
type point struct {
	at     int64   // own clock, ns
	offset int64   // other - own, ns
	half   float64 // by which offset may be wrong: half of the round trip
}

// maxRate bounds the difference in rate of two clocks: NTP slews by up to 500 ppm.
const maxRate = 1e-3

// measure pings the other rank, which runs answer, and keeps the shortest exchange: the other clock
// was read between our two readings, so taking the middle is wrong by at most half of the round
// trip (Cristian, "Probabilistic Clock Synchronization", 1989).
func measure(n Net, other, exchanges int) (best point, err error) {
	for i := range max(1, exchanges) {
		sent := n.Now()
		if err := n.Send(other, 0); err != nil {
			return best, err
		}
		theirs, err := n.Recv(other)
		if err != nil {
			return best, err
		}
		trip := n.Now() - sent
		half := float64(trip)/2*(1+maxRate) + 1 // 1 ns for rounding
		if i == 0 || half < best.half {
			at := sent + trip/2
			best = point{at, theirs - at, half}
		}
	}
	return best, nil
}

// answer replies to so many pings with the global time.
func answer(n Net, m Model, other, pings int) error {
	for range pings {
		if _, err := n.Recv(other); err != nil {
			return err
		}
		if err := n.Send(other, m.Global(n.Now())); err != nil {
			return err
		}
	}
	return nil
}
