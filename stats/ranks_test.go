package stats

import (
	"math"
	"testing"
)

// The ranks equal those of the published tables, such as Conover, Practical Nonparametric
// Statistics, and David and Nagaraja, Order Statistics: for each n the largest lo with P(B < lo) <=
// 0.025, and the attained level in per cent.
func TestMedianRanksAreThoseOfTheTables(t *testing.T) {
	for _, c := range []struct {
		n, lo, hi int
		level     float64
	}{
		{6, 1, 6, 96.88}, {7, 1, 7, 98.44}, {8, 1, 8, 99.22}, {9, 2, 8, 96.09},
		{10, 2, 9, 97.85}, {11, 2, 10, 98.83}, {12, 3, 10, 96.14}, {13, 3, 11, 97.75},
		{14, 3, 12, 98.71}, {15, 4, 12, 96.48}, {16, 4, 13, 97.87}, {17, 5, 13, 95.10},
		{18, 5, 14, 96.91}, {19, 5, 15, 98.08}, {20, 6, 15, 95.86}, {25, 8, 18, 95.67},
		{30, 10, 21, 95.72}, {40, 14, 27, 96.15}, {50, 18, 33, 96.72}, {100, 40, 61, 96.48},
	} {
		lo, hi, level := MedianRanks(c.n, Level)
		if lo != c.lo || hi != c.hi || math.Abs(100*level-c.level) > 0.006 {
			t.Errorf("n=%d: ranks %d..%d at %.2f %%, the table has %d..%d at %.2f %%", c.n, lo, hi, 100*level, c.lo, c.hi, c.level)
		}
	}
}

func TestMedianRanksOfTooFew(t *testing.T) {
	for n := -1; n < 6; n++ {
		if lo, hi, level := MedianRanks(n, Level); lo != 0 || hi != 0 || level != 0 {
			t.Errorf("n=%d: ranks %d..%d at %v, want none", n, lo, hi, level)
		}
	}
}

// For every n the level is attained, and the half width equals that of the normal distribution.
func TestMedianRanksAreTheNarrowest(t *testing.T) {
	for _, n := range []int{6, 7, 31, 99, 1000, 12345, 1e6, 1e8} {
		lo, hi, level := MedianRanks(n, Level)
		if lo+hi != n+1 || level < Level || level > 1 {
			t.Errorf("n=%d: ranks %d..%d at %v", n, lo, hi, level)
		}
		z := float64(hi-lo) / math.Sqrt(float64(n))
		if n >= 1000 && math.Abs(z-1.96) > 3/math.Sqrt(float64(n)) {
			t.Errorf("n=%d: half width is %.4f standard deviations, want 1.96", n, z)
		}
	}
}

func TestWidenKeepsTheShareOfTheSample(t *testing.T) {
	for _, c := range []struct{ effective, n, lo, hi int }{
		{30, 30, 10, 21},   // nothing to widen
		{30, 300, 95, 206}, // 5.5/30 of 300 each side of 150.5
		{6, 60, 5, 56},
		{6, 7, 1, 7},
	} {
		lo, hi, _ := MedianRanks(c.effective, Level)
		if lo, hi = widen(lo, hi, c.effective, c.n); lo != c.lo || hi != c.hi {
			t.Errorf("%d effective of %d: ranks %d..%d, want %d..%d", c.effective, c.n, lo, hi, c.lo, c.hi)
		}
	}
}
