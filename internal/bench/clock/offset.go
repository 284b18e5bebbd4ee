package clock

import "time"

// point is one offset between two clocks.
type point struct {
	at     int64   // own clock, ns
	offset int64   // other - own, ns
	half   float64 // error bound of offset, ns: half of the round trip
}

// maxRate bounds the difference in rate of two clocks: NTP slews by up to 500 ppm.
const maxRate = 1e-3

// Words that a rank sends to ask for the time of another.
const (
	ping int64 = iota
	done       // no ping follows
)

// measure returns the offset of the clock of another rank, which runs answer, from the shortest of
// several exchanges. The other clock is read between two readings of the own clock, so the error of
// their middle is at most half of the round trip (Cristian, "Probabilistic Clock Synchronization",
// 1989). It makes at least one exchange, and begins no other after limit.
func measure(n Net, other, exchanges int, limit time.Duration) (best point, err error) {
	begin := n.Now()
	for i := range max(1, exchanges) {
		sent := n.Now()
		if i > 0 && sent-begin > int64(limit) {
			break
		}
		if err := n.Send(other, ping); err != nil {
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

// answer replies to pings with the global time until the other rank is done.
func answer(n Net, m Model, other int) error {
	for {
		word, err := n.Recv(other)
		if err != nil || word == done {
			return err
		}
		if err := n.Send(other, m.Global(n.Now())); err != nil {
			return err
		}
	}
}
