package simd

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gobench/internal/fuzzing"
)

// uniform returns numbers in (0, 1).
func uniform(random *rand.Rand, n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = float64(1+random.Int64N(1<<46-1)) * 0x1p-46
	}
	return list
}

func TestPolarTwinsGiveTheSameBits(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 8, 16, 1024, 80000} {
		x, y := uniform(random, n), uniform(random, n)
		if n > 8 { // the middle of the square, where deviates are great
			x[3], y[3] = 0.5+0x1p-46, 0.5-0x1p-46
			x[12], y[12] = 0.5, 0.5+0x1p-20
		}
		comparePolar(t, x, y)
	}
}

func comparePolar(t *testing.T, x, y []float64) {
	t.Helper()
	var want PolarSums
	plainPolar(x, y, &want)
	for _, s := range Sets() {
		var got PolarSums
		s.Polar(x, y, &got)
		if got != want {
			t.Errorf("%s: sums of %d pairs are %v, want %v", s.Level, len(x), got, want)
		}
	}
}

func FuzzPolar(t *testing.F) {
	f := fuzzing.New(t)
	f.Add(uint64(1), uint64(2), uint16(64))
	f.Fuzz(func(t *testing.T, a, b uint64, n uint16) {
		random, pairs := rand.New(rand.NewPCG(a, b)), int(n)%136/8*8
		comparePolar(t, uniform(random, pairs), uniform(random, pairs))
	})
}

// lnBig returns ln v to some 100 bits: v = 2^k m, and ln m = 2 atanh((m-1)/(m+1)).
func lnBig(v float64) *big.Float {
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(120).SetFloat64(x) }
	atanh := func(x *big.Float) *big.Float {
		square := new(big.Float).Mul(x, x)
		sum, power := number(0), new(big.Float).Set(x)
		for n := 1; n < 200; n += 2 {
			sum.Add(sum, new(big.Float).Quo(power, number(float64(n))))
			power.Mul(power, square)
		}
		return sum
	}
	m, k := math.Frexp(v)
	if m < math.Sqrt2/2 {
		m, k = 2*m, k-1
	}
	third := new(big.Float).Quo(number(1), number(3))
	ln := atanh(new(big.Float).Quo(new(big.Float).Sub(number(m), number(1)), new(big.Float).Add(number(m), number(1))))
	ln.Add(ln, new(big.Float).Mul(number(float64(k)), atanh(third)))
	return ln.Mul(ln, number(2))
}

func TestLogarithmIsWithinAUnit(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	numbers := []float64{1, 1 - 0x1p-53, 0.5, math.Sqrt2 / 2, 0x1p-92, 0.75}
	for range 4000 {
		numbers = append(numbers, random.Float64(), 1-random.Float64()*0x1p-10, math.Exp(-60*random.Float64()))
	}
	worst := 0.0
	for _, v := range numbers {
		got, exact := logarithm(v), lnBig(v)
		want, _ := exact.Float64()
		unit := math.Abs(math.Nextafter(want, math.Inf(1)) - want)
		if want == 0 {
			if got != 0 {
				t.Errorf("ln %v is %v, want 0", v, got)
			}
			continue
		}
		off, _ := new(big.Float).Sub(exact, new(big.Float).SetFloat64(got)).Float64()
		worst = max(worst, math.Abs(off)/unit)
	}
	if worst >= 1 {
		t.Errorf("the logarithm is off by %.3f units in the last place, want less than 1", worst)
	}
	t.Logf("worst error %.3f units in the last place", worst)
}

func BenchmarkPolar(b *testing.B) {
	random := rand.New(rand.NewPCG(5, 6))
	x, y := uniform(random, 1024), uniform(random, 1024)
	for _, s := range Sets() {
		b.Run(fmt.Sprint(s.Level), func(b *testing.B) {
			var sums PolarSums
			for b.Loop() {
				s.Polar(x, y, &sums)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(x)), "ns/pair")
		})
	}
}
