package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// The numbers are those in the comment of Launches.
func TestLaunchesCover(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n    int
		phi  float64
		want float64
	}{
		{6, 0, 0.99}, {6, 0.3, 0.98}, {6, 0.5, 0.95}, {6, 0.7, 0.88},
		{7, 0, 1}, {7, 0.3, 0.98}, {7, 0.5, 0.96}, {7, 0.7, 0.89},
		{8, 0, 1}, {8, 0.3, 0.99}, {8, 0.5, 0.97}, {8, 0.7, 0.90},
		{12, 0, 0.99}, {12, 0.3, 0.97}, {12, 0.5, 0.96}, {12, 0.7, 0.91},
		{16, 0, 0.99}, {16, 0.3, 0.98}, {16, 0.5, 0.97}, {16, 0.7, 0.92},
	} {
		runs, printed, hits := 4000/slowdown, 0, 0
		for run := range runs {
			next := lognormal(c.phi, 0.05)(rand.New(rand.NewPCG(uint64(run), uint64(c.n))))
			medians := make([]float64, c.n)
			for i := range medians {
				medians[i] = next()
			}
			if s := Launches(medians); s.Confidence > 0 {
				printed++
				if s.Lo <= 1 && 1 <= s.Hi {
					hits++
				}
			}
		}
		share := float64(hits) / float64(printed)
		t.Logf("%d launches, correlation %.1f: %.3f have an interval, %.3f of them hold the truth", c.n, c.phi, float64(printed)/float64(runs), share)
		if slack := 0.01 + 0.01*(slowdown-1)/3; math.Abs(share-c.want) > slack {
			t.Errorf("%d launches, correlation %.1f: %.3f of the intervals hold the truth, documented %.2f", c.n, c.phi, share, c.want)
		}
		if c.phi == 0 && float64(printed) < 0.95*float64(runs) {
			t.Errorf("%d independent launches: only %d of %d have an interval", c.n, printed, runs)
		}
	}
}

func TestLaunches(t *testing.T) {
	for _, c := range []struct {
		name    string
		medians []float64
		lo, hi  float64
		warning string
	}{
		{"too few", []float64{3, 1, 2, 5, 4}, 0, 0, "5 of the 6 launches"},
		{"six", []float64{3, 6, 1, 5, 2, 4}, 1, 6, ""},
		{"nine", []float64{5, 9, 1, 8, 2, 7, 3, 6, 4}, 2, 8, ""},
		{"a drift", []float64{1, 2, 3, 4, 5, 6, 7, 8}, 0, 0, "drift"},
		{"a drift of many", []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, 0, 0, "drift"},
		{"one change of state", []float64{1, 3, 2, 4, 13, 11, 14, 12, 10, 15}, 1, 15, "their range"},
		{"equal ones", []float64{7, 7, 7, 7, 7, 7}, 7, 7, ""},
		{"none", nil, 0, 0, "no samples"},
		{"no number", []float64{1, math.NaN()}, 0, 0, "not finite"},
	} {
		before := slices.Clone(c.medians)
		s := Launches(c.medians)
		warnings := strings.Join(s.Warnings, "; ")
		lo, hi := c.lo, c.hi // by order statistics; the interval is wider
		if n := float64(len(c.medians)); hi > 0 {
			by := 1.5 / (n - 4)
			if hi += by * (hi - s.P50); lo-by*(s.P50-lo) > 0 {
				lo -= by * (s.P50 - lo)
			} else {
				lo *= math.Pow(lo/s.P50, by)
			}
		}
		if math.Abs(s.Lo-lo) > 1e-12 || math.Abs(s.Hi-hi) > 1e-12 || (s.Confidence >= Level) != (c.hi > 0) ||
			!strings.Contains(warnings, c.warning) || c.warning == "" && warnings != "" {
			t.Errorf("%s: %+v, want %v to %v and a warning of %q", c.name, s, c.lo, c.hi, c.warning)
		}
		if len(before) > 0 && before[0] != c.medians[0] {
			t.Errorf("%s: the launches are in another order than before", c.name)
		}
	}
	if s := Launches([]float64{3, 6, 1, 5, 2, 4}); s.P50 != 3.5 || s.Min != 1 || s.Max != 6 || s.N != 6 {
		t.Errorf("%+v", s)
	}
}

func TestWidenToTheClock(t *testing.T) {
	s := Summary{N: 100, P50: 10, Lo: 10, Hi: 10.5, Confidence: 0.95, Warnings: []string{"one"}}
	for _, c := range []struct {
		floor, lo, hi float64
	}{{0, 10, 10.5}, {0.25, 9.75, 10.5}, {2, 8, 12}, {10, 0, 0}, {math.NaN(), 10, 10.5}} {
		got := s.Widen(c.floor)
		if got.Lo != c.lo || got.Hi != c.hi || (got.Confidence > 0) != (c.hi > 0) || (len(got.Warnings) == 1) != (c.hi > 0) {
			t.Errorf("floor %v: %+v, want %v to %v", c.floor, got, c.lo, c.hi)
		}
	}
	if got := (Summary{P50: 10}).Widen(2); got.Lo != 0 || got.Hi != 0 {
		t.Errorf("an interval without samples: %+v", got)
	}
}

// The bound of shares of which some or all are 0 is 0.
func TestSharesStayAboveZero(t *testing.T) {
	for _, shares := range [][]float64{{0.5, 0, 0.4, 0, 0.6, 0.1, 0.3, 0.2}, {0, 0, 0, 0, 0, 0, 0, 0.1}} {
		if s := Launches(shares); s.Confidence == 0 || s.Lo != 0 {
			t.Errorf("%v: from %v to %v", shares, s.Lo, s.Hi)
		}
	}
}
