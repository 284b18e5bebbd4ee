package clock

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Synchronise computes every rank's map to the clock of rank 0. All ranks call it. It implements
// HCA3 (Hunold and Carpen-Amarie, "Hierarchical Clock Synchronization in MPI", CLUSTER 2018) for
// any number of ranks: in each round every rank with a map is the reference of one without, along a
// binomial tree. The new rank fits a line through offsets to the global clock of its reference.
//
// Errors come from the Net.
func Synchronise(n Net, e Effort) (Model, error) {
	var m Model
	rank, ranks := n.Rank(), n.Size()
	e.Points, e.Exchanges = max(2, e.Points), max(1, e.Exchanges)
	for known := 1; known < ranks; known *= 2 { // ranks below known have a map
		var err error
		switch {
		case rank < known && rank+known < ranks:
			err = serve(n, m, rank+known, e)
		case rank >= known && rank < 2*known:
			m, err = learn(n, rank-known, e)
		}
		if err != nil {
			return m, err
		}
	}
	return m, nil
}

// learn measures the offset to the reference, a rank with a map, and returns the map of this rank.
func learn(n Net, reference int, e Effort) (Model, error) {
	points := make([]point, e.Points)
	begin := n.Now()
	for i := range points {
		at := begin + int64(e.Window)*int64(i)/int64(e.Points-1)
		for n.Now() < at {
		}
		var err error
		if points[i], err = measure(n, reference, e.Exchanges, e.Limit/time.Duration(e.Points)); err != nil {
			return Model{}, err
		}
	}
	if err := n.Send(reference, done); err != nil {
		return Model{}, err
	}
	m := fit(points)
	// The error of the reference's map adds to that of this one.
	for _, part := range []*float64{&m.Width, &m.Growth} {
		word, err := n.Recv(reference)
		if err != nil {
			return Model{}, err
		}
		*part += math.Float64frombits(uint64(word))
	}
	return m, nil
}

// serve answers the measurements of another rank and sends it the error of the own map.
func serve(n Net, m Model, learner int, e Effort) error {
	if err := answer(n, m, learner); err != nil {
		return err
	}
	for _, part := range []float64{m.Bound(n.Now()) * 1e9, m.Growth} {
		if err := n.Send(learner, int64(math.Float64bits(part))); err != nil {
			return err
		}
	}
	return nil
}

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

// fit fits a line through offsets by least squares, weighted by their uncertainty. Offsets of
// disturbed exchanges, which are more than twice as uncertain as the best quarter, are ignored.
//
// If both clocks run at constant rates, the true offsets lie on a line, so the error of the fit is
// linear in time. At a measured point it is at most the distance of the point from the line plus
// half of its round trip. The largest of these is Width between the first and the last point;
// beyond them the error can grow at most as a line from -Width to +Width between them.
func fit(points []point) Model {
	halves := make([]float64, len(points))
	for i, p := range points {
		halves[i] = p.half
	}
	slices.Sort(halves)
	limit := 2 * halves[len(halves)/4]
	good := points[:0:0]
	for _, p := range points {
		if p.half <= limit {
			good = append(good, p)
		}
	}

	first, last := good[0], good[len(good)-1]
	m := Model{Base: last.at}
	var sum, sumT, sumO, sumTT, sumTO float64
	for _, p := range good {
		w := 1 / (p.half * p.half)
		t, o := float64(p.at-last.at), float64(p.offset-last.offset)
		sum, sumT, sumO = sum+w, sumT+w*t, sumO+w*o
		sumTT, sumTO = sumTT+w*t*t, sumTO+w*t*o
	}
	if d := sum*sumTT - sumT*sumT; d > 0 {
		m.Slope = (sum*sumTO - sumT*sumO) / d
	}
	m.Offset = last.offset + int64(math.Round((sumO-m.Slope*sumT)/sum))
	for _, p := range good {
		seen := math.Abs(float64(p.at + p.offset - m.Global(p.at)))
		m.Width = math.Max(m.Width, seen+p.half+1)
	}
	if span := float64(last.at - first.at); span > 0 {
		m.Growth = 2 * m.Width / span
	} else {
		m.Growth = maxRate
	}
	return m
}

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

// Check measures the current error of the ranks' maps. All ranks call it. They compare their global
// times along the tree of Synchronise, and the differences and their errors add up to those from
// rank 0. Every rank returns the same Deviation, with the largest values of all ranks.
func Check(n Net, m Model) (Deviation, error) {
	rank, ranks := n.Rank(), n.Size()
	var off, half int64 // global time of rank 0 - that of this rank, and the error of the difference, ns
	for known := 1; known < ranks; known *= 2 {
		var err error
		switch {
		case rank < known && rank+known < ranks:
			if err = answer(n, m, rank+known); err == nil {
				err = send(n, rank+known, [2]int64{off, half})
			}
		case rank >= known && rank < 2*known:
			off, half, err = compare(n, m, rank-known)
		}
		if err != nil {
			return Deviation{}, err
		}
	}
	size := max(off, -off)
	worst := [2]int64{size + half, max(0, size-half-int64(m.Bound(n.Now())*1e9))}
	if rank > 0 {
		err := send(n, 0, worst)
		if err == nil {
			worst, err = receive(n, 0)
		}
		return Deviation{float64(worst[0]) / 1e9, float64(worst[1]) / 1e9}, err
	}
	for other := 1; other < ranks; other++ {
		own, err := receive(n, other)
		if err != nil {
			return Deviation{}, err
		}
		worst = [2]int64{max(worst[0], own[0]), max(worst[1], own[1])}
	}
	for other := 1; other < ranks; other++ {
		if err := send(n, other, worst); err != nil {
			return Deviation{}, err
		}
	}
	return Deviation{float64(worst[0]) / 1e9, float64(worst[1]) / 1e9}, nil
}

// compare returns the difference between the global times of rank 0 and this rank, and its error,
// from those of a rank nearer to rank 0.
func compare(n Net, m Model, reference int) (off, half int64, err error) {
	if _, err := measure(n, reference, 1, 0); err != nil { // until it answers this rank
		return 0, 0, err
	}
	p, err := measure(n, reference, checkExchanges, checkLimit)
	if err != nil {
		return 0, 0, err
	}
	if err := n.Send(reference, done); err != nil {
		return 0, 0, err
	}
	above, err := receive(n, reference)
	return above[0] + p.at + p.offset - m.Global(p.at), above[1] + int64(math.Ceil(p.half)), err
}

// send and receive exchange two words, in ns.
func send(n Net, to int, words [2]int64) (err error) {
	for _, word := range words {
		err = cmp.Or(err, n.Send(to, word))
	}
	return err
}

func receive(n Net, from int) (words [2]int64, err error) {
	for i := range words {
		if words[i], err = n.Recv(from); err != nil {
			break
		}
	}
	return words, err
}
