package profile

import (
	"slices"
	"time"
)

// A Trial compares the implementations of a routine.
type Trial struct {
	Names []string // of the candidates, the usual one first
	// Run makes one run of a candidate and returns its time. Data and number of calls belong to
	// the real use.
	Run func(candidate int) (time.Duration, error)
	// More reports whether to make another round, in which each candidate runs once.
	More func(round int) (bool, error)
}

// Untried is the spread of a choice for whose trial there was no time: it counts as disturbed.
const Untried = 1000

// gain is the part of the time of the usual candidate below which another one replaces it: less is
// within the noise of a trial.
const gain = 0.95

// Try runs the candidates in rounds, forward and backward in turn, and adds the times of two
// rounds, in which a steady change of the machine's speed meets all candidates alike. It returns
// the candidate to use and the spread of its times: the fastest by their lower quartile if that
// gains enough, else the usual one. Without a round that is the usual one, and its spread Untried.
func (t Trial) Try() (best int, spread float64, err error) {
	times := make([][]time.Duration, len(t.Names)) // of two rounds
	single := make([][]time.Duration, len(t.Names))
	rounds := 0
	for ; ; rounds++ {
		more, err := t.More(rounds)
		if err != nil {
			return 0, 0, err
		}
		if !more {
			break
		}
		for i := range t.Names {
			if rounds%2 == 1 {
				i = len(t.Names) - 1 - i
			}
			took, err := t.Run(i)
			if err != nil {
				return 0, 0, err
			}
			single[i] = append(single[i], took)
			if last := len(times[i]) - 1; rounds%2 == 1 {
				times[i][last] += took
			} else {
				times[i] = append(times[i], took)
			}
		}
	}
	if len(times) == 0 || len(times[0]) == 0 {
		return 0, Untried, nil
	}
	for i, list := range times {
		if rounds%2 == 1 && rounds > 1 { // the last round has no second one
			list = list[:len(list)-1]
		}
		slices.Sort(list)
		times[i] = list
	}
	for i := range times {
		if quartile(times[i], 1) < quartile(times[best], 1) {
			best = i
		}
	}
	if quartile(times[best], 1) > gain*quartile(times[0], 1) {
		best = 0
	}
	slices.Sort(single[best])
	low, high := quartile(single[best], 1), quartile(single[best], 3)
	if low > 0 {
		spread = (high - low) / low
	}
	return best, spread, nil
}

// quartile returns the first or the third quartile of sorted times, in seconds: of few ones the
// least and the greatest.
func quartile(sorted []time.Duration, which int) float64 {
	at := (len(sorted) - 1) * which
	if which == 3 {
		at += 3
	}
	return sorted[at/4].Seconds()
}

// Rounds returns a More that makes rounds until their number is most and, from the number of least
// on, until soon. None begins after late.
func Rounds(lowest, highest int, soon, late time.Time, now func() time.Time) func(round int) (bool, error) {
	return func(round int) (bool, error) {
		at := now()
		return round < highest && at.Before(late) && (round < lowest || at.Before(soon)), nil
	}
}
