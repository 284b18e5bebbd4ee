package bench

import (
	"slices"

	"gobench/device"
)

const (
	distanceFirst  = 16   // rounds to find out how many take their time
	distanceTime   = 1e-4 // seconds of one measurement
	distanceTimes  = 11   // measurements, of which the median counts: one may be disturbed
	distanceMost   = 2000 // rounds
	distanceChange = 1.5  // a larger change is worth a warning
)

// distance takes part in a calibration between rank 0 and its partner: the
// median of several measurements, in seconds. It is 0 on the others and where the transport
// shares no memory.
func (r *rank) distance(times, rounds int) (float64, error) {
	d, ok := r.ch.(device.Distancer)
	if !ok {
		return 0, nil
	}
	partner := r.cell.Bench.Pattern.partner(r.ch.Size())
	var peer int
	switch r.ch.Rank() {
	case 0:
		peer = partner
	case partner:
		peer = 0
	default:
		return 0, nil
	}
	seen := make([]float64, times)
	for i := range seen {
		var err error
		if seen[i], err = d.Distance(peer, rounds); err != nil {
			return 0, err
		}
	}
	slices.Sort(seen)
	return seen[times/2], nil
}

// measureDistance calibrates rank 0 and its partner, in a millisecond; 0 if
// they share no memory.
func (c *conductor) measureDistance() (float64, error) {
	reports, err := c.do(command{Verb: verbDistance, Samples: 1, Rounds: distanceFirst})
	if err != nil {
		return 0, err
	}
	times, rounds := distanceEffort(reports[0].Distance)
	if times == 0 {
		return reports[0].Distance, nil
	}
	reports, err = c.do(command{Verb: verbDistance, Samples: times, Rounds: rounds})
	if err != nil {
		return 0, err
	}
	return reports[0].Distance, nil
}

// distanceEffort is how many measurements of how many rounds take about a millisecond,
// after a few rounds took half seconds each way. It is 0 if there is nothing to
// measure, or if ranks share a core and even a few rounds take longer.
func distanceEffort(half float64) (times, rounds int) {
	if half <= 0 || 2*half*distanceFirst > distanceTime*distanceTimes {
		return 0, 0
	}
	rounds = int(max(distanceFirst, min(distanceTime/(2*half), distanceMost)))
	times = int(distanceTime * distanceTimes / (2 * half * float64(rounds)))
	return max(1, min(times, distanceTimes)), rounds
}

// moved reports whether two distances differ by more than a factor of 1.5: a
// virtual CPU was moved, and numbers from before and after do not compare.
func moved(before, after float64) bool {
	return before > 0 && after > 0 &&
		(after > before*distanceChange || before > after*distanceChange)
}
