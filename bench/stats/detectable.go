package stats

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Bounds of Detectable.
const (
	powerDraws     = 2000 // simulated comparisons: the ratio's logarithm is good to 2 %
	powerSimulated = 400  // product of the numbers of launches up to which comparisons are simulated
)

// Spread returns the standard deviation of the logarithms of launches' medians within each of some
// sides, pooled: 0.03 means that launches differ by 3 %. It is 0 if no side has two positive
// values.
func Spread(sides ...[]float64) float64 {
	squares, freedom := 0.0, 0
	for _, side := range sides {
		var logs []float64
		for _, x := range side {
			if x > 0 {
				logs = append(logs, math.Log(x))
			}
		}
		if len(logs) < 2 {
			continue
		}
		_, variance := moments(logs)
		squares += variance * float64(len(logs))
		freedom += len(logs) - 1
	}
	if freedom == 0 {
		return 0
	}
	return math.Sqrt(squares / float64(freedom))
}

// Detectable returns the smallest ratio of medians, above 1, that the Mann-Whitney test finds
// with probability power between n1 and n2 launches of the given Spread, where the test
// is one of m that Holm's method holds at level alpha together. It is +Inf where so few
// launches cannot find any difference (LeastP). A ratio of 1/x is found as a ratio of x is.
//
// Holm's method asks alpha/m of the first difference it finds, so this is the power of a
// difference that stands alone; where there are others it is higher.
//
// Method: logarithms of medians are taken to be normal. For each of 2000 simulated
// comparisons the shift that makes it significant is a rank of the differences (ShiftRanks);
// its quantile at power is the answer. Above 400 pairs of launches it is that of the t-test
// with known variance, at the test's Pitman efficiency of 3/pi (Hollander, Wolfe and
// Chicken, Nonparametric Statistical Methods, 3rd ed., section 4.5).
func Detectable(spread float64, n1, n2, m int, alpha, power float64) float64 {
	if m < 1 || n1 < 1 || n2 < 1 || LeastP(n1, n2) >= alpha/float64(m) {
		return math.Inf(1)
	}
	return math.Exp(spread * detectableShift(n1, n2, alpha/float64(m), power))
}

// LaunchesFor returns how many launches each of two sides needs so that Detectable is
// ratio (or 1/ratio) at most; 0 where no number of them is enough, because ratio is 1.
func LaunchesFor(spread, ratio float64, m int, alpha, power float64) int {
	shift := math.Abs(math.Log(ratio))
	if m < 1 || !(shift > 0) || math.IsInf(shift, 0) || !(alpha > 0 && alpha < 1) || !(power > 0 && power < 1) {
		return 0
	}
	level := alpha / float64(m)
	enough := func(n int) bool {
		return LeastP(n, n) < level && spread*detectableShift(n, n, level, power) <= shift
	}
	most := 1
	for !enough(most) {
		if most > 1<<30 {
			return 0
		}
		most *= 2
	}
	least := most / 2 // is not enough
	for most-least > 1 {
		if n := (least + most) / 2; enough(n) {
			most = n
		} else {
			least = n
		}
	}
	return most
}

// detectableShift returns the result of Detectable for normal samples of variance 1 at a level.
func detectableShift(n1, n2 int, level, power float64) float64 {
	if n1 > powerSimulated || n2 > powerSimulated || n1*n2 > powerSimulated {
		z := distuv.UnitNormal.Quantile(1-level/2) + distuv.UnitNormal.Quantile(power)
		return z * math.Sqrt(math.Pi/3*(1/float64(n1)+1/float64(n2)))
	}
	k, _ := ShiftRanks(n1, n2, 1-level)
	r := rand.New(rand.NewPCG(uint64(n1), uint64(n2)))
	a, differences := make([]float64, n1), make([]float64, 0, n1*n2)
	needed := make([]float64, powerDraws)
	for i := range needed {
		for j := range a {
			a[j] = r.NormFloat64()
		}
		differences = differences[:0]
		for range n2 {
			b := r.NormFloat64()
			for _, x := range a {
				differences = append(differences, b-x)
			}
		}
		slices.Sort(differences)
		needed[i] = -differences[k-1] // all but k-1 pairs are then the right way round
	}
	slices.Sort(needed)
	return max(0, needed[min(powerDraws-1, int(power*powerDraws))])
}
