package compare

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"gobench/record"
)

// at returns launches at times in seconds.
func at(seconds ...int) []launch {
	var list []launch
	for _, s := range seconds {
		list = append(list, launch{time: testTime.Add(time.Duration(s) * time.Second)})
	}
	return list
}

func TestAlternatingLaunches(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b []launch
		want bool
	}{
		{"random blocks", at(0, 3, 4, 7), at(1, 2, 5, 6), true},
		{"one run measures both", at(0, 1, 2), at(0, 1, 2), true},
		{"one after the other", at(0, 1, 2, 3), at(10, 11, 12, 13), false},
		{"before and after", at(0, 1, 2, 10, 11, 12), at(5, 6, 7, 8), false},
		{"four sweeps in turn", at(0, 1, 2, 3, 20, 21, 22, 23), at(10, 11, 12, 13, 30, 31, 32, 33), false},
		{"one launch", at(0, 2), at(1), false},
		{"none", nil, nil, false},
		{"times that are not known", at(0, 0, 0), at(0, 0, 0), false},
	} {
		if c.name == "times that are not known" {
			for i := range c.a {
				c.a[i].time, c.b[i].time = time.Time{}, time.Time{}
			}
		}
		if got := alternate(c.a, c.b); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// The correlation of launches is estimated, also from few launches of many cells. If one launch in
// ten takes e times as long, at least half of it is found.
func TestCorrelationOfLaunches(t *testing.T) {
	for _, ρ := range []float64{0, 0.3, 0.5} {
		for _, n := range []int{8, 40} {
			random := rand.New(rand.NewPCG(1, 2))
			var cells, disturbed [][]launch
			for range 4000 / n {
				var cell, other []launch
				for _, x := range (machine{sigma: 0.05, rho: ρ}).serial(random, n) {
					cell = append(cell, launch{median: math.Exp(x)})
					if random.IntN(10) == 0 {
						x += 1
					}
					other = append(other, launch{median: math.Exp(x)})
				}
				cells, disturbed = append(cells, cell), append(disturbed, other)
			}
			if got := correlation(cells); math.Abs(got-ρ) > 0.06 {
				t.Errorf("%d launches: correlation %.2f, want %.2f", n, got, ρ)
			}
			if got := correlation(disturbed); got < 0.5*ρ {
				t.Errorf("%d launches, disturbed: correlation %.2f, want at least half of %.2f", n, got, ρ)
			}
		}
	}
	if got := correlation([][]launch{at(1, 2, 3), nil}); got != 0 {
		t.Errorf("too few launches: correlation %v, want 0", got)
	}
}

// The p-value and the widened interval agree on what is significant.
func TestThePValueBelongsToTheInterval(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	significant := 0
	for i := range 500 {
		r := Row{Level: Launches, Widening: 1 + 2*random.Float64()}
		if i%4 == 0 {
			r.Widening = 1
		}
		shift := 0.1 * random.NormFloat64()
		value := func(x float64) launch {
			if x = math.Exp(x); i%2 == 0 { // with ties
				x = math.Round(x*50) / 50
			}
			return launch{median: x, point: &record.Point{}}
		}
		for range 8 {
			r.a = append(r.a, value(0.05*random.NormFloat64()))
			r.b = append(r.b, value(shift+0.05*random.NormFloat64()))
		}
		r.NA, r.NB = 8, 8
		r.measure(0.95)
		excludes := r.Ratio.Lo > 1 || r.Ratio.Hi < 1
		if excludes != (r.P < 1-r.Confidence+1e-9) {
			t.Errorf("p %v, interval %+v at %v", r.P, r.Ratio, r.Confidence)
		}
		if excludes {
			significant++
		}
	}
	if significant < 50 || significant > 450 {
		t.Errorf("%d of 500 are significant, want 50 to 450", significant)
	}
}

// The method states the times of sides that do not alternate.
func TestDifferentTimesAreReported(t *testing.T) {
	a := campaign{name: "a", launches: 8, sizes: 2, sigma: 0.01, turns: true}
	b := a
	b.name, b.hour = "b", 4
	r := mustCompare(t, Options{}, a.source(1), b.source(2))
	if want := "measured at different times (a 12:00-12:07, b 16:00-16:07)"; !strings.Contains(r.Method, want) {
		t.Errorf("no %q in %s", want, r.Method)
	}
	if w := r.Rows[0].Widening; w < 1.7 {
		t.Errorf("widened by %v", w)
	}
	b.hour = 24
	if r := mustCompare(t, Options{}, a.source(1), b.source(2)); !strings.Contains(r.Method, "(a 2026-11-21 12:00-12:07, b 2026-11-22 12:00-12:07)") {
		t.Error(r.Method)
	}
	b.hour = 0
	r = mustCompare(t, Options{}, a.source(1), b.source(2))
	if r.Rows[0].Widening != 1 || strings.Contains(r.Method, "time") && strings.Contains(r.Method, "different times") {
		t.Errorf("launches that take turns: widened by %v, %s", r.Rows[0].Widening, r.Method)
	}
}

// The number of launches needed grows with the noise, and no number suffices if sessions differ by
// more than the slowdown to be detected.
func TestHowManyLaunchesAreNeeded(t *testing.T) {
	last := 0
	for _, sigma := range []float64{0.01, 0.03, 0.06} {
		file := campaign{name: "a", launches: 12, sizes: 16, sigma: sigma}.source(1).File
		turns, ok := Needed(file, Options{Detect: 0.15}, true)
		apart, found := Needed(file, Options{Detect: 0.15}, false)
		if !ok || turns < last || !found || apart < turns {
			t.Errorf("launches vary by %v: %d in turn, %d apart (%v)", sigma, turns, apart, found)
		}
		last = turns
		// The difference between sessions cannot be estimated from few cells: the assumption is
		// used.
		few := campaign{name: "a", launches: 12, sizes: minApart / 2, sigma: sigma}.source(1).File
		if _, found := Needed(few, Options{Detect: 0.15}, false); found != (sigma < 0.05) {
			t.Errorf("launches vary by %v, few cells: %v", sigma, found)
		}
	}
	if last < 8 {
		t.Errorf("%d launches that vary by 6 %% find 15 %% in 16 cells, want at least 8", last)
	}
	if _, ok := Needed(campaign{name: "a", launches: 1, sizes: 1}.source(1).File, Options{}, true); ok {
		t.Error("a number was estimated from one launch")
	}
}
