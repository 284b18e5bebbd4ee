package bench

import "gobench/device"

const (
	distanceFirst  = 16    // rounds to find out how many take a millisecond
	distanceTime   = 1e-3  // seconds
	distanceMost   = 20000 // rounds
	distanceChange = 1.5   // a larger change is worth a warning
)

// distance takes part in a calibration between rank 0 and its partner. It is
// 0 on the others and where the transport shares no memory.
func (r *rank) distance(rounds int) (float64, error) {
	d, ok := r.ch.(device.Distancer)
	if !ok {
		return 0, nil
	}
	partner := r.cell.Bench.Pattern.partner(r.ch.Size())
	switch r.ch.Rank() {
	case 0:
		return d.Distance(partner, rounds)
	case partner:
		return d.Distance(0, rounds)
	}
	return 0, nil
}

// distanceRounds is how many rounds take about a millisecond, after a few took
// half seconds each way.
func distanceRounds(half float64) int {
	if half <= 0 {
		return 0
	}
	return int(max(distanceFirst, min(distanceTime/(2*half), distanceMost)))
}

// moved reports whether two distances differ by more than a factor of 1.5: a
// virtual CPU was moved, and numbers from before and after do not compare.
func moved(before, after float64) bool {
	return before > 0 && after > 0 &&
		(after > before*distanceChange || before > after*distanceChange)
}
