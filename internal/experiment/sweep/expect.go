package sweep

import (
	"fmt"
	"time"

	"gobench/internal/human"
)

// Guess bounds the time of a launch whose command was not launched yet, in seconds.
type Guess struct{ Min, Max float64 } // Max is 0 if unknown

func (g Guess) middle() float64 { return (g.Min + g.Max) / 2 }

// Span bounds the time of several launches, in seconds.
type Span struct {
	Max     float64
	Likely  float64 // from the launches so far
	Unknown int     // number of launches of unknown time, in addition
}

// String returns a part of a sentence: "about 1m2s, at most 2m10s".
func (s Span) String() string {
	return s.with(fmt.Sprintf("about %v, at most %v", rounded(s.Likely), rounded(s.Max)))
}

// with returns known and the number of launches of unknown time. It leaves out known if all times
// are unknown.
func (s Span) with(known string) string {
	unknown := human.Count(s.Unknown, "launch", "launches") + " of unknown time"
	switch {
	case s.Unknown == 0:
		return known
	case s.Max == 0:
		return unknown
	}
	return known + " and " + unknown
}

// rounded returns a time rounded for display.
func rounded(s float64) time.Duration {
	d := time.Duration(s * float64(time.Second))
	if d < 10*time.Second {
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Second)
}

// taken holds the shortest and the longest time of the launches of one command, and the sum of
// their times, in seconds.
type taken struct {
	smallest, largest, sum float64
	n                      int
}

func (t taken) mean() float64 { return t.sum / float64(t.n) }

// Took records that a launch is finished, and its time.
func (s *State) Took(l Launch, seconds float64) { s.took(l.Key(), l.Number, seconds) }

func (s *State) took(key string, number int, seconds float64) {
	if s.done[key] == nil {
		s.done[key] = map[int]bool{}
	}
	s.done[key][number] = true
	t, ok := s.times[key]
	if !ok {
		t = taken{smallest: seconds, largest: seconds}
	}
	s.times[key] = taken{min(t.smallest, seconds), max(t.largest, seconds), t.sum + seconds, t.n + 1}
}

// Expect returns bounds of the time of launches on an idle machine. The upper bound of a launch is
// its guess times the largest ratio of a finished launch to its guess, 1 or more. For a command
// that was launched it is the longest launch or more. Without a guess it is the longest launch
// times the largest ratio of two launches of one command. The likely time of a launch is the mean
// of those of its command; for a command that was not launched yet, the middle of its guess times
// the mean ratio of finished launches to the middle of theirs.
func (s *State) Expect(list []Launch, guess func(Launch) Guess) Span {
	slower, spread := 1.0, 1.0
	took, guessed := 0.0, 0.0
	for _, l := range s.commands {
		t, ok := s.times[l.Key()]
		if !ok {
			continue
		}
		if g := guess(l); g.Max > 0 {
			slower = max(slower, t.largest/g.Max)
			took, guessed = took+t.mean(), guessed+g.middle()
		}
		if t.smallest > 0 {
			spread = max(spread, t.largest/t.smallest)
		}
	}
	ratio := 1.0
	if guessed > 0 {
		ratio = took / guessed
	}
	var sum Span
	for _, l := range list {
		g := guess(l)
		t, made := s.times[l.Key()]
		if made {
			sum.Likely += t.mean()
		} else {
			sum.Likely += ratio * g.middle()
		}
		switch {
		case made && g.Max > 0:
			sum.Max += max(t.largest, g.Max*slower)
		case made:
			sum.Max += t.largest * spread
		case g.Max > 0:
			sum.Max += g.Max * slower
		default:
			sum.Unknown++
		}
	}
	return sum
}
