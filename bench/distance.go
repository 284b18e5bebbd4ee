package bench

import (
	"slices"

	"gobench/device"
)

const (
	distanceFirst = 16   // rounds to find out how many take their time
	distanceTime  = 1e-4 // seconds of one measurement
	distanceTimes = 11   // measurements, of which the least counts: an interrupt makes near cores look far
	distanceMost  = 2000 // rounds
)

// distance takes part in a calibration between rank first and its partner: the
// least of several measurements, in seconds, because nothing makes far cores look near. It is 0 on the others and where the transport
// shares no memory.
func (r *rank) distance(first, partner, times, rounds int) (float64, error) {
	if times == 0 {
		return 0, nil
	}
	d, ok := r.ch.(device.CoreLatencyMeter)
	if !ok {
		if d = r.plan.Pairs; d == nil {
			return 0, nil
		}
	}
	var peer int
	switch r.ch.Rank() {
	case first:
		peer = partner
	case partner:
		peer = first
	default:
		return 0, nil
	}
	seen := make([]float64, times)
	for i := range seen {
		var err error
		if seen[i], err = d.CoreLatency(peer, rounds); err != nil {
			return 0, err
		}
	}
	return slices.Min(seen), nil
}

// measureDistance calibrates rank 0 and its partner, in a millisecond; 0 if
// they share no memory.
func (c *conductor) measureDistance() (float64, error) {
	return c.pairDistance(0, c.cell.Bench.Pattern.partner(c.ch.Size()))
}

// A quick measurement is the least of three, 10 to 60 us in all.
const (
	quickTimes  = 3
	quickRounds = 50
)

// look finds the state of the cores between two blocks. The distance is left out where the ranks
// share no memory, or share a core and few rounds take long.
func (c *conductor) look() (now look, err error) {
	cmd := command{Verb: verbDistance, Pace: true, Pair: [2]int{0, c.cell.Bench.Pattern.partner(c.ch.Size())}}
	if c.bins.apart {
		cmd.Samples, cmd.Rounds = quickTimes, quickRounds
	}
	reports, err := c.do(cmd)
	if err != nil {
		return now, err
	}
	for _, rep := range reports {
		now.loop = max(now.loop, rep.Loop)
	}
	now.distance = reports[0].Distance
	return now, nil
}

// pairDistance calibrates two ranks.
func (c *conductor) pairDistance(first, partner int) (float64, error) {
	cmd := command{Verb: verbDistance, Pair: [2]int{first, partner}, Samples: 1, Rounds: distanceFirst}
	reports, err := c.do(cmd)
	if err != nil {
		return 0, err
	}
	times, rounds := distanceEffort(reports[first].Distance)
	if times == 0 {
		return reports[first].Distance, nil
	}
	cmd.Samples, cmd.Rounds = times, rounds
	if reports, err = c.do(cmd); err != nil {
		return 0, err
	}
	return reports[first].Distance, nil
}

// ringDistances is the least and the greatest distance of neighbours in the ring of all
// ranks, where they are more than two: a collective goes as far as that. 0 if no neighbours
// share memory. near is the distance of rank 0 and its partner, known already.
func (c *conductor) ringDistances(near float64) (least, most float64, err error) {
	ranks := c.ch.Size()
	if !c.cell.Bench.Collective || ranks <= 2 {
		return 0, 0, nil
	}
	for first := range ranks {
		d := near
		if first > 0 || c.cell.Bench.Pattern.partner(ranks) != 1 {
			if d, err = c.pairDistance(first, (first+1)%ranks); err != nil {
				return 0, 0, err
			}
		}
		if d > 0 && (least == 0 || d < least) {
			least = d
		}
		most = max(most, d)
	}
	return least, most, nil
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
