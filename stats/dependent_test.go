package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// lognormal is ar1 with a standard deviation sigma of the logarithms.
func lognormal(phi, sigma float64) func(r *rand.Rand) func() float64 {
	return func(r *rand.Rand) func() float64 {
		next := ar1(phi)(r)
		return func() float64 { return math.Pow(next(), sigma) }
	}
}

// A tally counts the intervals of simulated samples.
type tally struct{ runs, printed, missed int }

func (c *tally) add(s Summary, truth float64) {
	c.runs++
	if s.Confidence > 0 {
		c.printed++
		if truth < s.Lo || s.Hi < truth {
			c.missed++
		}
	}
}

// err returns an error if more intervals miss the truth than at a coverage of 0.94 plus the noise
// of the simulation, or, if intervals are rare, if more than one sample in a hundred misses it.
func (c tally) err() error {
	allowed := 0.06*float64(c.printed) + 2*math.Sqrt(0.06*float64(c.printed))
	if float64(c.missed) > max(allowed, 0.01*float64(c.runs)) {
		return fmt.Errorf("%v: too many miss", c)
	}
	return nil
}

func (c tally) String() string {
	return fmt.Sprintf("%d of %d samples have an interval, %d of them (%.3f) hold the truth",
		c.printed, c.runs, c.printed-c.missed, 1-float64(c.missed)/float64(max(1, c.printed)))
}

// Intervals of correlated samples contain the median, or there are none.
func TestIntervalsCover(t *testing.T) {
	for _, phi := range []float64{0.3, 0.5, 0.7, 0.9, 0.95, 0.98} {
		t.Run(fmt.Sprint(phi), func(t *testing.T) {
			t.Parallel()
			for _, n := range []int{30, 45, 102, 345, 1000, 3000, 10000} {
				var c tally
				for run := range simulations(n, 40, 1000) / 2 {
					next := lognormal(phi, 0.1)(rand.New(rand.NewPCG(uint64(run), 21)))
					samples := make([]float64, n)
					for i := range samples {
						samples[i] = next()
					}
					c.add(Summarize(samples), 1)
				}
				t.Logf("n=%-5d %v", n, c)
				if err := c.err(); err != nil {
					t.Errorf("n=%d: %v", n, err)
				}
			}
		})
	}
}

// A process is in one of two states for 0.3 to 3 s each, such as a migrating pair of virtual cores:
// a sample with both states has too few visits for an interval. Samples within one state are not
// counted.
func TestNoIntervalWithFewVisits(t *testing.T) {
	t.Parallel()
	var c tally
	blind := 0
	for run := range 1200 / slowdown {
		r := rand.New(rand.NewPCG(uint64(run), 23))
		between := func(lo, hi float64) float64 { return lo * math.Pow(hi/lo, r.Float64()) }
		spacing, span, dwell := between(10e-6, 1e-3), between(30e-3, 3), between(0.3, 3)
		n := int(span / spacing)
		if n < MinSamples || n > 6000 {
			continue
		}
		levels := [2]float64{1, between(1.05, 5)}
		state, left := r.IntN(2), dwell*r.ExpFloat64()
		samples := make([]float64, n)
		seen := [2]int{}
		for i := range samples {
			for left < 0 {
				state, left = 1-state, left+dwell*r.ExpFloat64()
			}
			samples[i] = levels[state] * math.Exp(0.03*r.NormFloat64())
			seen[state]++
			left -= spacing
		}
		if min(seen[0], seen[1]) < n/10 {
			blind++
			continue
		}
		s := Summarize(samples)
		// In the long run each state has half of the samples: the median is between them.
		c.add(s, math.Sqrt(levels[1]))
		if s.Confidence > 0 {
			t.Logf("run %d: %d samples, %v in the states %v: %+v", run, n, seen, levels, s)
		}
	}
	t.Logf("%v; %d samples lie within one state", c, blind)
	if c.runs < 120/slowdown || c.printed > c.runs/100 {
		t.Errorf("%v; want none", c)
	}
}

// Slow changes under uncorrelated noise are the hardest to detect. They are detected in long
// samples.
func TestSlowChangesUnderNoise(t *testing.T) {
	t.Parallel()
	var c tally
	for run := range simulations(2000, 100, 300) {
		r := rand.New(rand.NewPCG(uint64(run), 24))
		slow := ar1(0.98)(r)
		samples := make([]float64, 2000)
		for i := range samples {
			samples[i] = math.Exp(0.1 * (math.Sqrt(0.3)*math.Log(slow()) + math.Sqrt(0.7)*r.NormFloat64()))
		}
		c.add(Summarize(samples), 1)
	}
	t.Log(c)
	if err := c.err(); err != nil || c.printed < c.runs/2 {
		t.Errorf("%v (%v)", c, err)
	}
}
