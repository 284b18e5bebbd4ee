package stats

import "testing"

// Values in the order of a drift have no interval, the same values in an unknown order have one.
func TestUnorderedValuesDoNotDrift(t *testing.T) {
	drift := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	if s := Launches(drift); s.Confidence > 0 {
		t.Errorf("a drift has an interval: %+v", s)
	}
	s := Unordered(drift)
	if s.Confidence == 0 || s.EffectiveN != 12 || s.P50 != 6.5 || len(s.Warnings) > 0 {
		t.Errorf("%+v", s)
	}
	if drift[1] != 2 {
		t.Error("the values were modified")
	}
	for n := range 9 {
		if s := Unordered(drift[:n]); s.N != n {
			t.Errorf("%d values of %d", s.N, n)
		}
	}
}
