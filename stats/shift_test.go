package stats

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// Critical values of the two-sided Mann-Whitney test at 5 %: the largest significant U (source:
// table in Milton, JASA 59 (1964), as reprinted in textbooks).
func TestRanksAgainstTheTable(t *testing.T) {
	for _, c := range []struct{ n1, n2, critical int }{
		{4, 4, 0}, {5, 5, 2}, {5, 8, 6}, {6, 6, 5}, {7, 7, 8}, {8, 8, 13}, {9, 9, 17}, {10, 10, 23},
		{12, 12, 37}, {15, 15, 64}, {20, 20, 127}, {10, 20, 55}, {3, 5, 0}, {2, 8, 0},
	} {
		for _, n := range [][2]int{{c.n1, c.n2}, {c.n2, c.n1}} {
			k, attained := newNull(n).rank(0.95)
			if k != c.critical+1 || attained < 0.95 || attained >= 1 {
				t.Errorf("%d and %d values: rank %d at level %.4f, want rank %d", n[0], n[1], k, attained, c.critical+1)
			}
		}
	}
}

// Ratios that are too small for a float64 are the smallest one.
func TestShiftOfExtremeValues(t *testing.T) {
	for _, n := range []int{1, 40} { // few ratios, and more than are stored
		s := NewShift(Stratum{slices.Repeat([]float64{1e300}, n), slices.Repeat([]float64{1e-300}, n)})
		if r, _ := s.Ratio(0.95); r.Lo != math.SmallestNonzeroFloat64 || r.Hi != r.Lo {
			t.Errorf("%d values: %+v", n, r)
		}
		if x := Spread(slices.Repeat([]float64{1e-300, 1e300}, n)); !(x >= 1) {
			t.Errorf("%d values: spread %v", n, x)
		}
	}
}

// Samples too small for the level give the whole range and the attained level.
func TestRanksOfSmallSamples(t *testing.T) {
	for _, c := range []struct {
		n1, n2   int
		attained float64
	}{{1, 1, 0}, {2, 2, 1 - 2.0/6}, {3, 3, 0.9}, {1, 5, 1 - 2.0/6}} {
		k, attained := newNull([2]int{c.n1, c.n2}).rank(0.95)
		if k != 1 || math.Abs(attained-c.attained) > 1e-12 {
			t.Errorf("%d and %d values: rank %d at level %v, want 1 at %v", c.n1, c.n2, k, attained, c.attained)
		}
	}
	if r, attained := NewShift(Stratum{nil, []float64{1}}).Ratio(0.95); r != (Interval{}) || attained != 0 {
		t.Errorf("nothing: %v at level %v", r, attained)
	}
}

// Counting and the normal approximation agree at the limit between them.
func TestRanksOfManyLaunches(t *testing.T) {
	exact, a := newNull([2]int{40, 40}).rank(0.95)
	approximate, b := newNull([2]int{40, 41}).rank(0.95)
	if approximate < exact || approximate > exact+25 || math.Abs(a-b) > 0.002 {
		t.Errorf("rank %d at level %v, then %d at %v", exact, a, approximate, b)
	}
}

// Intervals contain the true ratio with the stated frequency, and the test agrees with them for
// values with and without ties, in one stratum and in several whose levels differ.
func TestShiftHoldsTheTrueRatio(t *testing.T) {
	t.Parallel()
	const truth = 1.05
	for _, c := range []struct {
		name   string
		sizes  [][2]int
		grid   float64 // values are multiples of it; 0 = no ties
		lo, hi float64 // share of intervals that contain the truth
	}{
		{"5", [][2]int{{5, 5}}, 0, 0.945, 0.985},
		{"7", [][2]int{{7, 7}}, 0, 0.945, 0.985},
		{"12", [][2]int{{12, 12}}, 0, 0.945, 0.985},
		{"8, coarse clock", [][2]int{{8, 8}}, 0.05, 0.945, 1},
		{"two states", [][2]int{{4, 4}, {4, 4}}, 0, 0.945, 0.985},
		{"four states", [][2]int{{2, 2}, {2, 2}, {2, 2}, {2, 2}}, 0, 0.945, 0.985},
		{"unequal states, coarse clock", [][2]int{{6, 3}, {1, 5}, {2, 2}}, 0.05, 0.945, 1},
	} {
		runs := simulations(8, 2000, 4000)
		hits, agree := 0, 0
		for run := range runs {
			r := rand.New(rand.NewPCG(uint64(run), uint64(len(c.name))))
			next := func(level float64) float64 {
				x := level * math.Exp(0.1*r.NormFloat64())
				if c.grid > 0 {
					x = c.grid * math.Round(x/c.grid)
				}
				return x
			}
			var strata []Stratum
			for i, n := range c.sizes {
				level := float64(uint(1) << (2 * i)) // near, far
				var s Stratum
				for range n[0] {
					s.A = append(s.A, next(level))
				}
				for range n[1] {
					s.B = append(s.B, next(truth*level))
				}
				strata = append(strata, s)
			}
			shift := NewShift(strata...)
			ratio, attained := shift.Ratio(0.95)
			if ratio.Lo <= truth && truth <= ratio.Hi {
				hits++
			}
			if (ratio.Lo <= 1 && 1 <= ratio.Hi) == (shift.P(1) > 1-attained+1e-9) {
				agree++
			}
		}
		share := float64(hits) / float64(runs)
		t.Logf("%s: covered %.3f", c.name, share)
		if share < c.lo || share > c.hi {
			t.Errorf("%s launches: the interval holds the true ratio in %.3f of runs", c.name, share)
		}
		if agree != runs {
			t.Errorf("%s launches: interval and test contradict each other in %d of %d runs", c.name, runs-agree, runs)
		}
	}
}

func TestShiftOfKnownValues(t *testing.T) {
	s := NewShift(Stratum{[]float64{8, 1, 2, 4}, []float64{2, 4, 8, 16}})
	got, attained := s.Ratio(0.95)
	// 16 ratios 2 x 2^d with d = -3..3; the middle two are 2.
	if got.Median != 2 || got.Lo != 0.25 || got.Hi != 16 || math.Abs(attained-(1-2.0/70)) > 1e-12 {
		t.Errorf("%+v at %v", got, attained)
	}
	if p := s.MinP(); math.Abs(p-2.0/70) > 1e-15 {
		t.Errorf("the smallest p-value is %v", p)
	}
	for _, c := range []struct {
		name string
		a, b []float64
		p    float64
	}{
		// Exact: 2 of the 252 ways to choose 5 of 10.
		{"five launches apart", []float64{1, 2, 3, 4, 5}, []float64{6, 7, 8, 9, 10}, 2.0 / 252},
		{"the same", []float64{1, 2, 3}, []float64{1, 2, 3}, 1},
		{"constants", []float64{1, 1, 1}, []float64{1, 1, 1}, 1},
		{"nothing", nil, []float64{1}, 1},
		{"zero", []float64{0}, []float64{1}, 1},
		{"not a number", []float64{math.NaN(), 1}, []float64{1}, 1},
		{"infinite", []float64{1}, []float64{math.Inf(1)}, 1},
	} {
		s := NewShift(Stratum{c.a, c.b})
		if got := s.P(1); math.Abs(got-c.p) > 1e-12 {
			t.Errorf("%s: p is %v, want %v", c.name, got, c.p)
		}
		if r, _ := s.Ratio(0.95); len(c.a) < 3 && r != (Interval{}) {
			t.Errorf("%s: %v", c.name, r)
		}
	}
}

// The ratios of thousands of launches are not stored.
func TestShiftOfManyLaunches(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	sample := func(n int, by float64) (list []float64) {
		for range n {
			list = append(list, by*math.Round(1e4*math.Exp(0.1*r.NormFloat64())))
		}
		return list
	}
	for _, strata := range [][]Stratum{
		{{sample(300, 1), sample(200, 1.1)}},
		{{sample(90, 1), sample(80, 1.1)}, {sample(3, 4), sample(5, 4.4)}},
		{{sample(100, 1), slices.Repeat([]float64{1}, 100)}}, // as many equal ratios as fit into a window
		{{slices.Repeat([]float64{2}, 100), slices.Repeat([]float64{3}, 100)}},
	} {
		var all []float64
		for _, s := range strata {
			for _, a := range s.A {
				for _, b := range s.B {
					all = append(all, b/a)
				}
			}
		}
		slices.Sort(all)
		s := NewShift(strata...)
		for _, k := range []int{1, len(all), len(all) / 2, len(all)/2 + 1, len(all) / 40, len(all) / 3, 2} {
			if got := s.at(k); got != all[k-1] {
				t.Errorf("ratio %d of %d is %v, want %v", k, len(all), got, all[k-1])
			}
		}
	}
	const n = 20_000
	x := Stratum{sample(n, 1), sample(n, 1.01)}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	ratio, _ := NewShift(x).Ratio(0.95)
	runtime.ReadMemStats(&after)
	if math.Abs(ratio.Median/1.01-1) > 0.002 || !(ratio.Lo < ratio.Median && ratio.Median < ratio.Hi) || ratio.Hi/ratio.Lo > 1.01 {
		t.Errorf("%+v", ratio)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 64*n {
		t.Errorf("%d bytes for %d launches of each side", used, n)
	}
}

func TestSpread(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{0, 1, 2, 3, 4, 9, 40, 150} {
		x := make([]float64, n)
		for i := range x {
			x[i] = math.Exp(r.NormFloat64())
		}
		var pairs []float64
		for i := range x {
			for j := range i {
				pairs = append(pairs, math.Abs(math.Log(x[i]/x[j])))
			}
		}
		slices.Sort(pairs)
		want := 0.0
		if len(pairs) > 0 {
			want = Quantile(pairs, 0.5)
		}
		if got := math.Log(Spread(x)); math.Abs(got-want) > 1e-12 {
			t.Errorf("%d values: %v, want %v", n, got, want)
		}
	}
}

func TestMinP(t *testing.T) {
	for _, c := range []struct {
		n1, n2 int
		want   float64
	}{{5, 5, 2.0 / 252}, {7, 7, 2.0 / 3432}, {1, 1, 1}, {0, 4, 1}, {10, 7, 2.0 / 19448}} {
		if got := MinP(c.n1, c.n2); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%d and %d: %v, want %v", c.n1, c.n2, got, c.want)
		}
		if got := NewShift(Stratum{make1(c.n1), make1(c.n2)}).MinP(); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%d and %d: %v by the distribution, want %v", c.n1, c.n2, got, c.want)
		}
	}
}

func make1(n int) []float64 { return slices.Repeat([]float64{1}, n) }
