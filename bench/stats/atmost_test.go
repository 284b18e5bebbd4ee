package stats

import "testing"

// The interval of shares stays between 0 and 1, also where launches are at these bounds.
func TestSharesStayShares(t *testing.T) {
	for _, shares := range [][]float64{{0, 0.3, 0.2, 0.25, 0.1, 0.15}, {1, 0.7, 0.8, 0.75, 0.9, 0.85}} {
		s := Launches(shares)
		if s.Confidence == 0 || s.Lo >= 0 && s.Hi <= 1 {
			t.Fatalf("the interval of %v is %g to %g and needs no bounds", shares, s.Lo, s.Hi)
		}
		if s = s.AtMost(1); s.Lo < 0 || s.Hi > 1 || s.Lo > s.P50 || s.Hi < s.P50 {
			t.Errorf("%v: %g to %g", shares, s.Lo, s.Hi)
		}
	}
}
