package stats

import (
	"math"
	"slices"
	"testing"
)

// A step in the middle of 24 values, without overlap, gives K = 12 x 12 and p = 2 exp(-6 K^2 / (n^3
// + n^2)).
func TestPettittOfAStep(t *testing.T) {
	step := make([]float64, 24)
	for i := range step {
		step[i] = float64(i%3) / 10
		if i >= 12 {
			step[i] += 5
		}
	}
	at, p, tau := pettitt(step)
	if want := 2 * math.Exp(-6*144.0*144/(24*24*24+24*24)); at != 12 || tau != 1 || math.Abs(p-want) > 1e-12 {
		t.Errorf("change at %d with p = %v, tau %v; want 12, %v and 1", at, p, tau, want)
	}
}

func TestDetrend(t *testing.T) {
	line := []float64{5, 7, 9, 11}
	detrend(line)
	for _, x := range line {
		if math.Abs(x) > 1e-12 {
			t.Errorf("a line leaves %v", line)
		}
	}
	one := []float64{5}
	detrend(one)
	detrend(nil)
	if one[0] != 0 {
		t.Errorf("one value leaves %v", one)
	}
}

func TestRanksShareTies(t *testing.T) {
	got := ranks([]float64{3, 1, 2, 3, 3})
	if want := []float64{4, 1, 2, 4, 4}; !slices.Equal(got, want) {
		t.Errorf("ranks %v, want %v", got, want)
	}
}
