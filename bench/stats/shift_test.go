package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Critical values of the two-sided Mann-Whitney test at 5 %: the largest significant U (source:
// table in Milton, JASA 59 (1964), as reprinted in textbooks).
func TestShiftRanksAgainstTheTable(t *testing.T) {
	for _, c := range []struct{ n1, n2, critical int }{
		{4, 4, 0}, {5, 5, 2}, {5, 8, 6}, {6, 6, 5}, {7, 7, 8}, {8, 8, 13}, {9, 9, 17}, {10, 10, 23},
		{12, 12, 37}, {15, 15, 64}, {20, 20, 127}, {10, 20, 55}, {3, 5, 0}, {2, 8, 0},
	} {
		for _, n := range [][2]int{{c.n1, c.n2}, {c.n2, c.n1}} {
			k, attained := ShiftRanks(n[0], n[1], 0.95)
			if k != c.critical+1 || attained < 0.95 || attained >= 1 {
				t.Errorf("%d and %d values: rank %d at level %.4f, want rank %d", n[0], n[1], k, attained, c.critical+1)
			}
		}
	}
}

// Samples too small for the level give the whole range and the attained level.
func TestShiftRanksOfSmallSamples(t *testing.T) {
	for _, c := range []struct {
		n1, n2   int
		attained float64
	}{{1, 1, 0}, {2, 2, 1 - 2.0/6}, {3, 3, 0.9}, {1, 5, 1 - 2.0/6}} {
		k, attained := ShiftRanks(c.n1, c.n2, 0.95)
		if k != 1 || math.Abs(attained-c.attained) > 1e-12 {
			t.Errorf("%d and %d values: rank %d at level %v, want 1 at %v", c.n1, c.n2, k, attained, c.attained)
		}
	}
	if k, attained := ShiftRanks(0, 5, 0.95); k != 0 || attained != 0 {
		t.Errorf("nothing: rank %d, level %v", k, attained)
	}
}

// Counting and the normal approximation agree at the limit between them.
func TestShiftRanksOfManyLaunches(t *testing.T) {
	exact, a := ShiftRanks(40, 40, 0.95)
	approximate, b := ShiftRanks(40, 41, 0.95)
	if approximate < exact || approximate > exact+25 || math.Abs(a-b) > 0.002 {
		t.Errorf("rank %d at level %v, then %d at %v", exact, a, approximate, b)
	}
}

func TestShiftHoldsTheTrueRatio(t *testing.T) {
	t.Parallel()
	const truth = 1.05
	for _, n := range []int{5, 7, 12} {
		runs := simulations(n, 2000, 4000)
		hits, agree := 0, 0
		for run := range runs {
			r := rand.New(rand.NewPCG(uint64(run), uint64(n)))
			a, b := make([]float64, n), make([]float64, n)
			for i := range n {
				a[i] = math.Exp(0.1 * r.NormFloat64())
				b[i] = truth * math.Exp(0.1*r.NormFloat64())
			}
			ratio, attained := Shift(a, b, 0.95)
			if ratio.Lo <= truth && truth <= ratio.Hi {
				hits++
			}
			if (ratio.Lo <= 1 && 1 <= ratio.Hi) == (Compare(a, b).P > 1-attained+1e-9) {
				agree++
			}
		}
		share := float64(hits) / float64(runs)
		if share < 0.945 || share > 0.985 {
			t.Errorf("%d launches: the interval holds the true ratio in %.3f of runs", n, share)
		}
		if agree != runs {
			t.Errorf("%d launches: interval and test contradict each other in %d of %d runs", n, runs-agree, runs)
		}
	}
}

func TestShiftOfKnownValues(t *testing.T) {
	got, attained := Shift([]float64{1, 2, 4, 8}, []float64{2, 4, 8, 16}, 0.95)
	// 16 ratios 2 x 2^d with d = -3..3; the middle two are 2.
	if got.Median != 2 || got.Lo != 0.25 || got.Hi != 16 || math.Abs(attained-(1-2.0/70)) > 1e-12 {
		t.Errorf("%+v at %v", got, attained)
	}
	if got, _ := Shift([]float64{0}, []float64{1}, 0.95); got != (Interval{}) {
		t.Errorf("of zero: %+v", got)
	}
}

func TestLeastP(t *testing.T) {
	for _, c := range []struct {
		n1, n2 int
		want   float64
	}{{5, 5, 2.0 / 252}, {7, 7, 2.0 / 3432}, {1, 1, 1}, {0, 4, 1}, {10, 7, 2.0 / 19448}} {
		if got := LeastP(c.n1, c.n2); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%d and %d: %v, want %v", c.n1, c.n2, got, c.want)
		}
	}
}
