package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mathext"
)

// methods holds the functions of this package that an interval depends on. Mutants replace one of
// them.
type methods struct {
	effective func(samples, sorted []float64) int
	ranks     ranker
	between   func(m methods, launches [][]float64) Summary
}

func theMethods() methods {
	return methods{effectiveN, MedianRanks, func(m methods, all [][]float64) Summary {
		medians := make([]float64, len(all))
		for i, samples := range all {
			medians[i] = Median(samples)
		}
		return launches(medians, m.ranks)
	}}
}

// within checks the intervals of samples of n values with correlation phi.
func within(m methods, n int, phi float64) error {
	var c tally
	for run := range simulations(n, 200, 1500) {
		next := lognormal(phi, 0.1)(rand.New(rand.NewPCG(uint64(run), 41)))
		samples := make([]float64, n)
		for i := range samples {
			samples[i] = next()
		}
		c.add(summarize(samples, m.effective, m.ranks), 1)
	}
	return c.enough()
}

// next checks that the interval of 12 launches contains the median over launches. Launches differ
// by 5 % and their samples by 10 %.
func next(m methods) error {
	var c tally
	for run := range 2000 {
		r := rand.New(rand.NewPCG(uint64(run), 42))
		all := make([][]float64, 12)
		for i := range all {
			level := math.Exp(0.05 * r.NormFloat64())
			all[i] = make([]float64, 100)
			for j := range all[i] {
				all[i][j] = level * math.Exp(0.1*r.NormFloat64())
			}
		}
		c.add(m.between(m, all), 1)
	}
	return c.enough()
}

// exact checks ranks by counting the 2^n ways in which n values lie below and above the median: the
// median is between the ranks in a share of at least Level, and not with one rank less on both
// sides.
func exact(m methods) error {
	for n := 6; n <= 60; n++ {
		lo, hi, _ := m.ranks(n, Level)
		share := func(lo, hi int) float64 {
			counts := 0.0
			for below := lo; below < hi; below++ {
				counts += 1 / (float64(n+1) * mathext.Beta(float64(below+1), float64(n-below+1))) // n choose below
			}
			return counts / math.Exp2(float64(n))
		}
		if share(lo, hi) < Level || share(lo+1, hi-1) >= Level {
			return fmt.Errorf("%d values: the ranks %d and %d have %.4f between them", n, lo, hi, share(lo, hi))
		}
	}
	return nil
}

// enough returns err, or an error if few samples have an interval, because rules without intervals
// are never wrong.
func (c tally) enough() error {
	if c.printed < c.runs*9/10 {
		return fmt.Errorf("%v: too few", c)
	}
	return c.err()
}

// The checks of coverage detect wrong rules. Each of these mistakes was made or is likely.
func TestRulesCanFail(t *testing.T) {
	t.Parallel()
	checks := map[string]func(methods) error{
		"independent samples": func(m methods) error { return within(m, 45, 0) },
		"dependent samples":   func(m methods) error { return within(m, 1000, 0.9) },
		"the next launch":     next,
		"ranks":               exact,
	}
	for name, check := range checks {
		if err := check(theMethods()); err != nil {
			t.Errorf("%s: the rules themselves fail: %v", name, err)
		}
	}
	pooled := func(m methods, all [][]float64) Summary {
		var samples []float64
		for _, x := range all {
			samples = append(samples, x...)
		}
		return summarize(samples, func(samples, _ []float64) int { return len(samples) }, m.ranks)
	}
	inOneLaunch := func(m methods, all [][]float64) Summary { return summarize(all[0], m.effective, m.ranks) }
	narrow := func(n int, level float64) (int, int, float64) {
		lo, hi, attained := MedianRanks(n, level)
		return lo + 1, hi - 1, attained
	}
	narrower := func(n int, level float64) (int, int, float64) { // by more than reach makes up for
		lo, hi, attained := MedianRanks(n, level)
		return lo + 2, hi - 2, attained
	}
	wide := func(n int, level float64) (int, int, float64) {
		lo, hi, attained := MedianRanks(n, level)
		return max(1, lo-1), min(n, hi+1), attained
	}
	all := func(samples, _ []float64) int { return len(samples) }
	for _, c := range []struct {
		mutant, check string
		change        func(m *methods)
	}{
		{"the samples of all launches for the launches", "the next launch", func(m *methods) { m.between = pooled }},
		{"the interval of one launch for that of the next", "the next launch", func(m *methods) { m.between = inOneLaunch }},
		{"samples taken for independent", "dependent samples", func(m *methods) { m.effective = all }},
		{"ranks one too narrow", "ranks", func(m *methods) { m.ranks = narrow }},
		{"ranks two too narrow", "the next launch", func(m *methods) { m.ranks = narrower }},
		{"ranks one too wide", "ranks", func(m *methods) { m.ranks = wide }},
		{"no interval at all", "independent samples", func(m *methods) {
			m.effective = func(_, _ []float64) int { return 1 }
		}},
	} {
		m := theMethods()
		c.change(&m)
		err := checks[c.check](m)
		if err == nil {
			t.Errorf("%s pass the check of %s", c.mutant, c.check)
		}
		t.Logf("%s: %v", c.mutant, err)
	}
}
