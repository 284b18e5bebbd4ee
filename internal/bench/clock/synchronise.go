package clock

import (
	"math"
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
