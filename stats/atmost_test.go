package stats

import "testing"

// The interval of shares stays between 0 and 1, also where launches are at these bounds.
func TestSharesStayShares(t *testing.T) {
	if s := Launches([]float64{0, 0.3, 0.2, 0.25, 0.1, 0.15}); s.Confidence == 0 || s.Lo < 0 || s.Hi > 1 {
		t.Errorf("from 0 on: %g to %g", s.Lo, s.Hi)
	}
	s := Launches([]float64{1, 0.7, 0.8, 0.75, 0.9, 0.85})
	if s.Confidence == 0 || s.Hi <= 1 {
		t.Fatalf("up to 1: %g to %g needs no bound", s.Lo, s.Hi)
	}
	if s = s.CappedAt(1); s.Lo < 0 || s.Hi > 1 || s.Lo > s.P50 || s.Hi < s.P50 {
		t.Errorf("up to 1: %g to %g", s.Lo, s.Hi)
	}
}
