package stats

import (
	"math"
	"slices"
	"testing"
)

func TestChecksAreGeometric(t *testing.T) {
	var checks []int
	for n := 0; len(checks) < 8; {
		n = NextCheck(n)
		checks = append(checks, n)
	}
	if want := []int{30, 45, 68, 102, 153, 230, 345, 518}; !slices.Equal(checks, want) {
		t.Errorf("checks at %v, want %v", checks, want)
	}
	if n := NextCheck(40); n != 45 {
		t.Errorf("after 40 samples the next check is at %d, want 45", n)
	}
}

func TestPrecise(t *testing.T) {
	s := Summary{N: 30, P50: 100, Lo: 98, Hi: 101, Confidence: 0.95}
	for _, c := range []struct {
		name string
		s    Summary
		rel  float64
		want bool
	}{
		{"both ends within", s, 0.02, true},
		{"one end outside", s, 0.015, false},
		{"too few", Summary{N: 29, P50: 100, Lo: 100, Hi: 100, Confidence: 0.95}, 0.02, false},
		{"no interval", Summary{N: 1000, P50: 100}, 0.02, false},
		{"nothing", Summary{}, 0.02, false},
	} {
		if got := Precise(c.s, c.rel); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if w := s.Width(); w != 0.015 {
		t.Errorf("width %v, want 0.015", w)
	}
	if w := (Summary{P50: 1}).Width(); !math.IsInf(w, 1) {
		t.Errorf("width without interval is %v", w)
	}
}

func TestRateSwapsTheBounds(t *testing.T) {
	s := Summary{P50: 2, Lo: 1, Hi: 4, Confidence: 0.95}
	if r := s.Rate(8); r != (Interval{Median: 4, Lo: 2, Hi: 8}) {
		t.Errorf("%+v", r)
	}
	if r := (Summary{}).Rate(8); r != (Interval{}) {
		t.Errorf("no time gives the rate %+v", r)
	}
	half := s.Scale(0.5)
	if half.P50 != 1 || half.Lo != 0.5 || half.Hi != 2 || s.P50 != 2 {
		t.Errorf("half is %+v, of %+v", half, s)
	}
}
